import './wrangler-environment.ts'
import { join, relative } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import {
  experimental_readRawConfig,
  unstable_convertConfigBindingsToStartWorkerBindings,
  unstable_getMiniflareWorkerOptions,
  unstable_readConfig,
  type Unstable_Config,
} from 'wrangler'
import { DEPLOY_GUIDE } from './guides.ts'
import { parseSettings, SettingsError } from '#settings.ts'

// Unstable in wrangler, here alone: it has no other functions that read its configuration. Without
// them, a TOML parser and Miniflare's options for each binding would stand here.

process.env.WRANGLER_LOG ??= 'error' // hide notices of wrangler

export const CONFIG = 'wrangler.toml'
export const SECRETS_FILE = '.dev.vars'

/** The `database_id` of a checkout that was never deployed. */
export const PLACEHOLDER_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Reads wrangler.toml for production, whose name is empty, or an environment.
 * @throws if it has no such environment, or is of another version
 */
export function readConfiguration(env = '') {
  if (env && !(env in (rawConfiguration().env ?? {}))) {
    throw new Error(`${CONFIG} has no environment "${env}". See ${DEPLOY_GUIDE}.`)
  }
  // without `env`, wrangler takes that of CLOUDFLARE_ENV
  const configuration = readByWrangler(() => unstable_readConfig({ config: CONFIG, env }))
  const { main = '', build, no_bundle } = configuration
  const isOfThisVersion =
    relative('.', main) === join('src', 'index.ts') &&
    build.command === 'node scripts/build/changed-assets.ts' &&
    !no_bundle
  if (isOfThisVersion) return configuration

  throw new Error(
    `${CONFIG} builds another version: take main and [build] from the repository, and remove ` +
      'no_bundle.',
  )
}

/** The configuration of production or an environment. */
export type Configuration = Unstable_Config

/** Reads wrangler.toml as written. */
export const rawConfiguration = () =>
  readByWrangler(() => experimental_readRawConfig({ config: CONFIG })).rawConfig

/** The bindings, by name, without variables. */
export const bindingsOf = (configuration: Configuration) =>
  unstable_convertConfigBindingsToStartWorkerBindings({ ...configuration, vars: {} }) ??
  {}

/** The problems that the Worker would find in its settings. */
export function settingsProblems(env: object): readonly string[] {
  try {
    parseSettings(env)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

/** The bindings and variables of wrangler.toml and `.dev.vars`, as options of Miniflare. */
export const workerOptions = (folder = '.') =>
  readByWrangler(() => unstable_getMiniflareWorkerOptions(join(folder, CONFIG), ''))
    .workerOptions as V4WorkerOptions

/** @throws with the file and line that wrangler cannot parse */
function readByWrangler<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    const { message, location } = error as Error & {
      location?: { file: string; line: number }
    }
    if (!location) throw error
    const problem = message.replace('Invalid TOML document: ', '')
    throw new Error(`${location.file}, line ${location.line}: ${problem}`)
  }
}

/** The id of a deployed database. @throws if wrangler.toml has only the placeholder */
export function deployedDatabaseId(env?: string): string {
  const [{ database_id = PLACEHOLDER_ID } = {}] = readConfiguration(env).d1_databases
  if (database_id !== PLACEHOLDER_ID) return database_id
  throw new Error(
    `${CONFIG} has no database_id yet. For how to create the database, see ${DEPLOY_GUIDE}.`,
  )
}
