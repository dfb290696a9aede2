import { eq, sql } from 'drizzle-orm'
import type { ZodMiniType } from 'zod/mini'
import { openDatabase } from '../src/database/client.ts'
import { emailTokens, users } from '../src/database/schema.ts'
import { email as emailRules } from '../src/domain/informer.ts'
import { password as passwordRules } from '../src/domain/passwords.ts'
import { hashPassword } from '../src/security/passwords.ts'
import { runCommand, UsageError } from './lib/command-line.ts'
import { withDatabase } from './lib/database.ts'
import { promptNewPassword } from './lib/password-prompt.ts'
import { applyDocument } from './provisioning/apply.ts'

const USAGE = `Usage: npm run admin -- COMMAND
  npm run admin -- create --email EMAIL --first-name NAME [--last-name NAME] [--remote]
      Creates an administrator.
  npm run admin -- password (--email EMAIL | --cpf CPF) [--remote]
      Sets a new password for any user, including informers.
Prompts for the password, or reads it from the first line of stdin.
--remote uses the deployed database.`

const COMMANDS = new Map([
  ['create', create],
  ['password', password],
])

type Options = Partial<Record<'email' | 'cpf' | 'first-name' | 'last-name', string>> & { remote: boolean }

const options = {
  email: { type: 'string' },
  cpf: { type: 'string' },
  'first-name': { type: 'string' },
  'last-name': { type: 'string' },
  remote: { type: 'boolean', default: false },
} as const
await runCommand(
  { verb: 'change the account', usage: USAGE, options, arguments: [1, 1] },
  async (values, [name = '']) => {
    const work = COMMANDS.get(name)
    if (!work) throw new UsageError(USAGE)
    await work({ ...values, ...(values.email ? { email: valid(emailRules, values.email) } : {}) })
  },
)

/** Creates an administrator in the local or the deployed database. */
async function create(options: Options): Promise<void> {
  const { email, 'first-name': first_name, 'last-name': last_name, remote } = options
  if (!email || !first_name) throw new UsageError(USAGE)
  await withDatabase(remote, async (database) => {
    const [known] = await openDatabase(database).select().from(users).where(eq(users.email, email))
    if (known) throw new Error(`${email} is registered already; nothing was changed.`)
    const password = valid(passwordRules, await promptNewPassword())
    const administrators = [{ first_name, last_name, email, password, allow_same_name: true }]
    await applyDocument(database, { administrators })
  })
  console.log(`${email} may log in as an administrator.`)
}

/** Sets a new password, ends every session and voids mailed links. */
async function password({ email, cpf, remote }: Options): Promise<void> {
  if (!email === !cpf) throw new UsageError(USAGE)
  const byIdentifier = email ? eq(users.email, email) : eq(users.cpf, cpf ?? '')
  await withDatabase(remote, async (database) => {
    const db = openDatabase(database)
    const [known] = await db.select().from(users).where(byIdentifier)
    if (!known) throw new Error(`There is no user with ${email ?? cpf}; nothing was changed.`)
    const password_hash = await hashPassword(valid(passwordRules, await promptNewPassword()))
    const token_version = sql`${users.token_version} + 1`
    await db.batch([
      db.update(users).set({ password_hash, token_version }).where(eq(users.id, known.id)),
      db.delete(emailTokens).where(eq(emailTokens.user_id, known.id)),
    ])
  })
  console.log(`${email ?? cpf} has a new password.`)
}

/** Validates a value by the rules of the service. */
function valid(rules: ZodMiniType<string>, value: string): string {
  const result = rules.safeParse(value)
  if (result.success) return result.data
  throw new Error(result.error.issues.map(({ message }) => message).join('\n'))
}
