import { join } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import {
  experimental_readRawConfig,
  unstable_getMiniflareWorkerOptions,
  unstable_readConfig,
} from 'wrangler'
import { reasonOf } from './command-line.ts'
import { DEPLOY_GUIDE, SETTINGS_GUIDE } from './guides.ts'
import { settingsSchema } from '#settings.ts'

process.env.WRANGLER_LOG ??= 'error' // hide notices of wrangler
process.env.WRANGLER_SEND_METRICS ??= 'false' // as `npm run wrangler` does

export const CONFIG = 'wrangler.toml'
export const SECRETS_FILE = '.dev.vars'
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

/** Returns a problem for each unknown setting: otherwise the default would silently apply. */
export const unknownSettings = (names: string[]) =>
  names
    .filter((name) => !(name in settingsSchema.shape))
    .map((name) => `setting ${name}: unknown; see ${SETTINGS_GUIDE}`)

/** The id of a deployed database. @throws if wrangler.toml has only the placeholder */
export function deployedDatabaseId(env?: string): string {
  const [{ database_id = '' } = {}] = readConfiguration(env).d1_databases
  if (/[^0-]/.test(database_id)) return database_id
  throw new Error(
    `wrangler.toml has no database_id yet. For how to create the database, see ${DEPLOY_GUIDE}.`,
  )
}
