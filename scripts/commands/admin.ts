import { and, eq, getTableColumns, type SQL } from 'drizzle-orm'
import type { ZodMiniType } from 'zod/mini'
import { FLAG, runCommand, TEXT, UsageError, type Values } from '../lib/command-line.ts'
import { commonPasswords } from '../lib/common-passwords.ts'
import { insertAdministrator, withDatabase } from '../lib/database.ts'
import { promptNewPassword, promptText } from '../lib/prompts.ts'
import { setPassword } from '#database/accounts/passwords.ts'
import { disableByCommand } from '#database/accounts/second-factors.ts'
import { openDatabase } from '#database/client.ts'
import { users } from '#database/schema/users.ts'
import { runTransaction } from '#database/transactions.ts'
import { hasRole } from '#database/users/conditions.ts'
import { isGuessable, type PasswordOwner } from '#domain/guessable-passwords.ts'
import {
  cpf as cpfRules,
  email as emailRules,
  firstName,
  GUESSABLE_MESSAGE,
  lastName,
  password as passwordRules,
} from '#http/request/person-fields.ts'
import { hashPassword } from '#security/passwords.ts'

const USAGE = `Usage: npm run admin -- COMMAND
  npm run admin -- create --email EMAIL --first-name NAME [--last-name NAME] [--remote]
      Creates an administrator: the first one, who can create the others by the API.
  npm run admin -- password [--email EMAIL]
      Sets a new password for any user, including informers, in the local database. Without an
      email, prompts for the email or CPF, or reads it from the first line of stdin.
  npm run admin -- second-factor --off --email EMAIL [--remote]
      Disables the second factor of an administrator who has lost it and whom no other one can help,
      and ends their sessions.
Prompts for the password, or reads it from the next line of stdin. An administrator's is refused
if it is a common one, or holds a word of their name or the beginning of their email.
--remote uses the deployed database, with --env NAME that of an environment of wrangler.toml.`

const command = {
  verb: 'change the account',
  usage: USAGE,
  options: {
    email: TEXT,
    'first-name': TEXT,
    'last-name': TEXT,
    off: FLAG,
    remote: FLAG,
    env: TEXT,
  },
  arguments: ['COMMAND'],
} as const

type Options = Values<typeof command.options>

const COMMANDS = { create, password, 'second-factor': disableSecondFactor }

await runCommand(command, async (values, [name = '']) => {
  if (values.env !== undefined && !values.remote) {
    throw new UsageError('Unexpected: --env without --remote')
  }
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`Unknown command: ${name}`)

  const email = values.email && parse('email', emailRules, values.email)
  await COMMANDS[name as keyof typeof COMMANDS]({ ...values, ...(email && { email }) })
})

/** Creates an administrator in the local or the deployed database. */
async function create({ email, remote, env, ...names }: Options): Promise<void> {
  const { 'first-name': first, 'last-name': last } = names
  if (!email || !first) throw new UsageError('Missing: --email or --first-name')

  const first_name = parse('first name', firstName, first)
  const last_name = last ? parse('last name', lastName, last) : null

  await withDatabase({ remote, env }, async (database) => {
    const db = openDatabase(database)
    const [known] = await db.select().from(users).where(eq(users.email, email))
    if (known) throw new Error(`${email} is registered already; nothing was changed.`)
    const person = { first_name, last_name, email }
    const password = await askPassword()
    refuseGuessable(password, person)
    await insertAdministrator(db, { ...person, password })
  })
  console.log(`${email} may log in as an administrator.`)
}

/** Sets a new password of any user. */
async function password({ email, remote }: Options): Promise<void> {
  if (remote) {
    throw new UsageError(
      'Unexpected: --remote. An administrator sets passwords by the API.',
    )
  }
  const isUser = email ? eq(users.email, email) : await promptUser()
  await withDatabase({ remote: false }, async (database) => {
    const db = openDatabase(database)
    const isAdministrator = hasRole('administrator').mapWith(Boolean)
    const columns = { ...getTableColumns(users), isAdministrator }
    const [known] = await db.select(columns).from(users).where(isUser)
    if (!known) throw new Error('There is no such user; nothing was changed.')
    const chosen = await askPassword()
    if (known.isAdministrator) {
      refuseGuessable(chosen, known)
    }
    const { id, email: address, password_hash } = known
    const former = { id, email: address, hasPassword: password_hash !== null }
    const hash = await hashPassword(chosen)
    await runTransaction(db, { writes: setPassword(db, former, { hash, by: 'office' }) })
  })
  console.log('The user has a new password.')
}

/**
 * Prompts for the email or CPF of a user, and returns the condition: as an argument, a CPF would be
 * in the list of processes and in npm's log.
 */
async function promptUser(): Promise<SQL> {
  const identifier = (await promptText('Email or CPF')).trim()
  return identifier.includes('@')
    ? eq(users.email, parse('email', emailRules, identifier))
    : eq(users.cpf, parse('CPF', cpfRules, identifier))
}

/** Leaves no audit record; no command does. */
async function disableSecondFactor({ email, off, remote, env }: Options): Promise<void> {
  if (!email || !off) throw new UsageError('Missing: --off or --email')

  const isDisabled = await withDatabase({ remote, env }, async (database) => {
    const db = openDatabase(database)
    const isAdministrator = and(eq(users.email, email), hasRole('administrator'))
    const [known] = await db.select().from(users).where(isAdministrator)
    if (!known) {
      throw new Error(`There is no administrator with ${email}; nothing was changed.`)
    }
    await disableByCommand(db, known.id)
    return known.second_factor_enabled_at !== null
  })
  console.log(
    isDisabled
      ? `${email} has no second factor any more, and has to log in again.`
      : `${email} has no second factor.`,
  )
}

async function askPassword(): Promise<string> {
  return parse('password', passwordRules, await promptNewPassword())
}

/** @throws with the service's own text */
function refuseGuessable(password: string, owner: PasswordOwner): void {
  if (isGuessable(password, owner, new Set(commonPasswords()))) {
    throw new Error(`the password is refused: "${GUESSABLE_MESSAGE}"`)
  }
}

/** Parses a value by the rules of the service. @throws with the service's own texts */
function parse(what: string, rules: ZodMiniType<string | null>, value: string): string {
  const result = rules.safeParse(value)
  if (result.success && result.data !== null) return result.data
  const messages = result.error?.issues.map(({ message }) => `"${message}"`) ?? []
  throw new Error(`the ${what} is refused: ${messages.join(' ')}`)
}
