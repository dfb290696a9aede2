import { eq, sql } from 'drizzle-orm'
import type { ZodMiniType } from 'zod/mini'
import { openDatabase } from '../src/database/client.ts'
import { emailTokens, users } from '../src/database/schema.ts'
import { email as emailRules, firstName, lastName } from '../src/domain/informer.ts'
import { password as passwordRules } from '../src/domain/passwords.ts'
import { hashPassword } from '../src/security/passwords.ts'
import { FLAG, runCommand, TEXT, UsageError } from './lib/command-line.ts'
import { insertAdministrator, withDatabase } from './lib/database.ts'
import { promptNewPassword } from './lib/prompts.ts'

const USAGE = `Usage: npm run admin -- COMMAND
  npm run admin -- create --email EMAIL --first-name NAME [--last-name NAME] [--remote]
      Creates an administrator: the first one, who can create the others by the API.
  npm run admin -- password (--email EMAIL | --cpf CPF)
      Sets a new password for any user, including informers, in the local database.
Prompts for the password, or reads it from the first line of stdin.
--remote uses the deployed database.`

const options = {
  email: TEXT,
  cpf: TEXT,
  'first-name': TEXT,
  'last-name': TEXT,
  remote: FLAG,
} as const
const command = { verb: 'change the account', usage: USAGE, options, arguments: ['COMMAND'] }

type Options = Partial<Record<'email' | 'cpf' | 'first-name' | 'last-name', string>> & {
  remote: boolean
}

await runCommand(command, async (values, [name]) => {
  const options = values.email
    ? { ...values, email: parse('email', emailRules, values.email) }
    : values
  if (name === 'create') await create(options)
  else if (name === 'password') await password(options)
  else throw new UsageError(`Unknown command: ${name}`)
})

/** Creates an administrator in the local or the deployed database. */
async function create({
  email,
  'first-name': first,
  'last-name': last,
  remote,
}: Options): Promise<void> {
  if (!email || !first)
    throw new UsageError(
      `Missing:${email ? '' : ' --email EMAIL'}${first ? '' : ' --first-name NAME'}`,
    )
  const first_name = parse('first name', firstName, first)
  const last_name = last ? parse('last name', lastName, last) : null
  await withDatabase(remote, async (database) => {
    const db = openDatabase(database)
    const [known] = await db.select().from(users).where(eq(users.email, email))
    if (known) throw new Error(`${email} is registered already; nothing was changed.`)
    const password = parse('password', passwordRules, await promptNewPassword())
    await insertAdministrator(db, { first_name, last_name, email, password })
  })
  console.log(`${email} may log in as an administrator.`)
}

/** Sets a new password, ends every session and voids mailed links. */
async function password({ email, cpf, remote }: Options): Promise<void> {
  if (remote)
    throw new UsageError('Unexpected: --remote. An administrator sets passwords by the API.')
  if (!email === !cpf) throw new UsageError('Missing: --email EMAIL or --cpf CPF, one of them')
  const byIdentifier = email ? eq(users.email, email) : eq(users.cpf, cpf ?? '')
  await withDatabase(false, async (database) => {
    const db = openDatabase(database)
    const [known] = await db.select().from(users).where(byIdentifier)
    if (!known) throw new Error(`There is no user with ${email ?? cpf}; nothing was changed.`)
    const password_hash = await hashPassword(
      parse('password', passwordRules, await promptNewPassword()),
    )
    const token_version = sql`${users.token_version} + 1`
    await db.batch([
      db
        .update(users)
        .set({ password_hash, password_by_link: false, token_version })
        .where(eq(users.id, known.id)),
      db.delete(emailTokens).where(eq(emailTokens.user_id, known.id)),
    ])
  })
  console.log(`${email ?? cpf} has a new password.`)
}

/** Parses a value by the rules of the service. @throws with the service's own texts */
function parse(what: string, rules: ZodMiniType<string | null>, value: string): string {
  const result = rules.safeParse(value)
  if (result.success && result.data !== null) return result.data
  const messages = result.error?.issues.map(({ message }) => `"${message}"`) ?? []
  throw new Error(`the ${what} is refused: ${messages.join(' ')}`)
}
