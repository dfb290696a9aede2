import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'

process.env.WRANGLER_LOG ??= 'error' // wrangler's notices are not for the users of these scripts

export type Variables = Record<string, Json>

const CONFIG = 'wrangler.toml'
const REMOTE_CONFIG = join('.wrangler', 'remote.json')

export const readConfiguration = () => unstable_readConfig({ config: CONFIG })

/** The bindings of wrangler.toml as Miniflare takes them, the variables among them. */
export const workerOptions = () => unstable_getMiniflareWorkerOptions(CONFIG).workerOptions as V4WorkerOptions

/** The variables that wrangler.toml binds. */
export const configuredVariables = () => (workerOptions().bindings ?? {}) as Variables

/**
 * The id of the deployed database.
 *
 * @throws while wrangler.toml has the placeholder
 */
export function deployedDatabaseId(): string {
  const [{ database_id = '' } = {}] = readConfiguration().d1_databases
  if (/[^0-]/.test(database_id)) return database_id
  throw new Error('wrangler.toml has no database_id yet. README.md tells how to create the database.')
}

/** Writes a configuration that binds the deployed database alone, and returns its path. */
export function writeRemoteConfiguration(): string {
  const database_id = deployedDatabaseId()
  const { name, account_id, compatibility_date } = readConfiguration()
  const d1_databases = [{ binding: 'DB', database_id, remote: true }]
  mkdirSync('.wrangler', { recursive: true })
  writeFileSync(REMOTE_CONFIG, JSON.stringify({ name, account_id, compatibility_date, d1_databases }))
  return REMOTE_CONFIG
}
