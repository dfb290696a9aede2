import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import leven from 'leven'
import type { Json, V4WorkerOptions } from 'miniflare'
import {
  experimental_readRawConfig,
  unstable_getMiniflareWorkerOptions,
  unstable_readConfig,
} from 'wrangler'
import {
  LOOPBACK_ORIGINS,
  parseSettings,
  SettingsError,
  settingsSchema,
} from '../../src/settings.ts'
import { reasonOf } from './command-line.ts'
import { DEPLOY_GUIDE } from './guides.ts'

process.env.WRANGLER_LOG ??= 'error' // hide notices of wrangler
process.env.WRANGLER_SEND_METRICS ??= 'false' // as `npm run wrangler` does

export type Variables = Record<string, Json>

export const CONFIG = 'wrangler.toml'
const SECRETS_FILE = '.dev.vars'
const SECRETS = ['JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'GIT_TOKEN']

/**
 * Reads wrangler.toml for production or an environment.
 * @throws if it has no such environment, or contains a secret
 */
export function readConfiguration(env?: string) {
  refusePublicSecrets()
  const read = (options: { env?: string }) =>
    readByWrangler(() => unstable_readConfig({ config: CONFIG, ...options }))
  const production = read({})
  if (env === undefined) return production
  if (!production.definedEnvironments?.includes(env)) {
    throw new Error(`${CONFIG} has no environment "${env}". See ${DEPLOY_GUIDE}.`)
  }
  return read({ env })
}

/** Reads wrangler.toml as written. */
export const rawConfiguration = () =>
  readByWrangler(() => experimental_readRawConfig({ config: CONFIG })).rawConfig

/** @throws naming a secret that every reader of the repository could see */
function refusePublicSecrets(): void {
  const { vars, env = {} } = rawConfiguration()
  const tables = Object.entries<{ vars?: object }>(env).map(
    ([name, environment]) => [`[env.${name}.vars]`, environment.vars] as const,
  )
  for (const [table, variables = {}] of [['[vars]', vars] as const, ...tables]) {
    const secret = SECRETS.find((name) => name in variables)
    if (secret === undefined) continue
    throw new Error(
      `${CONFIG} has the secret ${secret} in ${table}. Remove it there, and set another ` +
        `value with npm run wrangler -- secret put ${secret}; locally it belongs in ${SECRETS_FILE}.`,
    )
  }
}

/** The bindings and variables of wrangler.toml and `.dev.vars`, as options of Miniflare. */
export const workerOptions = (folder = '.') =>
  readByWrangler(() => unstable_getMiniflareWorkerOptions(join(folder, CONFIG)))
    .workerOptions as V4WorkerOptions

/** Wrangler's error about a file that it cannot read or parse. */
type ReadingError = Error & {
  location?: { file: string; line: number }
  notes?: { text: string }[]
}

/** @throws on one line, with where and why */
function readByWrangler<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    const { message, location, notes = [], cause } = error as ReadingError
    if (location) {
      const problem = message.replace('Invalid TOML document: ', '')
      throw new Error(`${location.file}, line ${location.line}: ${problem}`)
    }
    const reasons = [
      ...notes.map(({ text }) => text),
      ...(cause ? [reasonOf(cause)] : []),
    ]
    const reason = reasons.length > 0 ? ` (${reasons.join(' ')}).` : ''
    throw new Error(message.replace(/:$/, '') + reason)
  }
}

/**
 * Returns a problem for each unknown setting, with the most similar name: otherwise the default
 * would silently apply.
 */
export function unknownSettings(names: string[]): string[] {
  const known = Object.keys(settingsSchema.shape)
  const unknown = names.filter((name) => !known.includes(name))
  return unknown.map((name) => {
    const nearest = nearestOf(known, name.toUpperCase())
    return `setting ${name}: unknown; did you mean ${nearest}?`
  })
}

/** The most similar name. */
export function nearestOf(names: string[], misspelt: string): string | undefined {
  const distance = (name: string) => leven(name, misspelt)
  const [nearest] = names.toSorted((one, other) => distance(one) - distance(other))
  return nearest
}

/** The id of a deployed database. @throws if wrangler.toml has only the placeholder */
export function deployedDatabaseId(env?: string): string {
  const [{ database_id = '' } = {}] = readConfiguration(env).d1_databases
  if (/[^0-]/.test(database_id)) return database_id
  throw new Error(
    `wrangler.toml has no database_id yet. For how to create the database, see ${DEPLOY_GUIDE}.`,
  )
}

/**
 * The settings of a local run, from wrangler.toml, `.dev.vars` and the shell; later sources take
 * precedence. Besides the origins of wrangler.toml, front ends on this machine may call the
 * service. The first run creates `.dev.vars` with a random `JWT_SECRET`.
 * @param publicUrl the local address, to which emailed links lead instead of that of wrangler.toml
 * @throws naming every invalid setting and where it comes from
 */
export function localVariables(publicUrl: string): Variables {
  const { vars } = readConfiguration()
  const origins = [vars.CORS_ORIGINS, ...LOOPBACK_ORIGINS].filter(Boolean).join()
  const sources: Record<string, object> = {
    [CONFIG]: { ...vars, PUBLIC_URL: publicUrl, CORS_ORIGINS: origins },
    [SECRETS_FILE]: parseEnv(readSecrets()),
    'the environment': settingsOfShell(),
  }
  const variables = Object.assign({}, ...Object.values(sources)) as Variables
  try {
    refuseUnknown(Object.keys(variables))
    parseSettings(variables)
    return variables
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const lines = error.problems.map(
      (problem) => `${problem} (${originOf(problem, sources)})`,
    )
    throw new Error(lines.join('\n'))
  }
}

/** @throws {SettingsError} */
function refuseUnknown(names: string[]): void {
  const problems = unknownSettings(names)
  if (problems.length > 0) throw new SettingsError(...problems)
}

function settingsOfShell(): object {
  const isSet = ([name, value]: [string, unknown]) =>
    name in settingsSchema.shape && value !== ''
  return Object.fromEntries(Object.entries(process.env).filter(isSet))
}

/** Returns where the setting of a problem comes from, or where it belongs. */
function originOf(problem: string, sources: Record<string, object>): string {
  const [, name = ''] = /^setting (\S+):/.exec(problem) ?? []
  const source = Object.keys(sources).findLast(
    (source) => name in (sources[source] ?? {}),
  )
  if (source) return `in ${source}`
  return readConfiguration().secrets?.required?.includes(name)
    ? `secrets belong in ${SECRETS_FILE}, which npm start makes where there are no data yet`
    : `missing in ${CONFIG}`
}

/**
 * @param database the folder of the local database
 * @throws if there are data but not the secret of their tokens and second factors
 */
export function refuseLostSecrets(database: string): void {
  if (existsSync(SECRETS_FILE) || !existsSync(database)) return
  throw new Error(
    `${SECRETS_FILE} is gone. A new JWT_SECRET would void every token and second factor of ` +
      `the data in ${database}. Put the file back, or delete the data with npm run reset.`,
  )
}

function readSecrets(): string {
  try {
    if (!existsSync(SECRETS_FILE)) {
      writeFileSync(SECRETS_FILE, newSecrets(), { mode: 0o600 })
    }
    return readFileSync(SECRETS_FILE, 'utf8')
  } catch (error) {
    throw new Error(`${SECRETS_FILE} cannot be read or written (${reasonOf(error)}).`)
  }
}

function newSecrets(): string {
  const secret = randomBytes(32).toString('base64url')
  const comment = '# Local secrets, created by npm start. Never commit them.'
  return `${comment}\nJWT_SECRET="${secret}"\n`
}
