import { parseArgs } from 'node:util'
import { eq } from 'drizzle-orm'
import { openDatabase } from '../src/database/connection.ts'
import { users } from '../src/database/schema.ts'
import { password as passwordRules } from '../src/domain/informer.ts'
import { hashPassword } from '../src/security/passwords.ts'
import { withDatabase } from './local-server.ts'
import { askPassword } from './password-prompt.ts'
import { applyDocument } from './provisioning/apply.ts'
import { parseDocument } from './provisioning/document.ts'

const USAGE = `Usage:
  npm run admin -- create --email EMAIL --first-name NAME [--last-name NAME] [--remote]
      creates an administrator
  npm run admin -- password --email EMAIL [--remote]
      gives whoever has that email a new password, informers too
The password is asked for, or read from the first line of the input. --remote means the deployed database.`

const COMMANDS = new Map([
  ['create', create],
  ['password', password],
])

type Options = { email: string; firstName: string; lastName: string | undefined; remote: boolean }

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const { values, positionals } = parsedArguments()
  if (values.help) return console.log(USAGE)
  const command = COMMANDS.get(positionals.join(' '))
  const { email, 'first-name': firstName = '', 'last-name': lastName, remote } = values
  if (!command || !email) throw new Error(USAGE)
  await command({ email, firstName, lastName, remote })
}

function parsedArguments() {
  try {
    return parseArgs({
      options: {
        email: { type: 'string' },
        'first-name': { type: 'string' },
        'last-name': { type: 'string' },
        remote: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`)
  }
}

/** Creates an administrator in the local or the deployed database. */
async function create({ email, firstName, lastName, remote }: Options): Promise<void> {
  if (firstName === '') throw new Error(USAGE)
  const administrator = { first_name: firstName, last_name: lastName, email, password: await askPassword() }
  const document = parseDocument(JSON.stringify({ administrators: [administrator] }))
  await withDatabase(remote, async (database) => {
    const [known] = await openDatabase(database).select().from(users).where(isMeant(email))
    if (known) throw new Error(`${email} is registered already; nothing was changed.`)
    await applyDocument(database, document)
  })
  console.log(`${email} may log in as an administrator.`)
}

/** Sets a new password. Tokens that were issued before live on until they expire. */
async function password({ email, remote }: Options): Promise<void> {
  const result = passwordRules.safeParse(await askPassword())
  if (!result.success) throw new Error(result.error.issues.map(({ message }) => message).join('\n'))
  const password_hash = await hashPassword(result.data)
  const [changed] = await withDatabase(remote, (database) =>
    openDatabase(database).update(users).set({ password_hash }).where(isMeant(email)).returning(),
  )
  if (!changed) throw new Error(`Nobody has the email ${email}; nothing was changed.`)
  console.log(`${email} has a new password.`)
}

function isMeant(email: string) {
  return eq(users.email, email.toLowerCase())
}
