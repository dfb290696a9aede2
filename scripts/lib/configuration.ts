import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { makeFolder } from './command-line.ts'

process.env.WRANGLER_LOG ??= 'error' // hide notices of wrangler

export type Variables = Record<string, Json>

export const CONFIG = 'wrangler.toml'
const REMOTE_CONFIG = join('.wrangler', 'remote.json')

export const readConfiguration = () => unstable_readConfig({ config: CONFIG })

/** The bindings and variables of wrangler.toml, as options of Miniflare. */
export const workerOptions = (folder = '.') =>
  unstable_getMiniflareWorkerOptions(join(folder, CONFIG)).workerOptions as V4WorkerOptions

/** The variables of wrangler.toml. */
export const configuredVariables = () => (workerOptions().bindings ?? {}) as Variables

/**
 * The id of the deployed database.
 * @throws if wrangler.toml has only the placeholder
 */
export function deployedDatabaseId(): string {
  const [{ database_id = '' } = {}] = readConfiguration().d1_databases
  if (/[^0-]/.test(database_id)) return database_id
  throw new Error('wrangler.toml has no database_id yet. See docs/operating.md for how to create the database.')
}

/** Writes a configuration that binds only the deployed database, and returns its path. */
export function writeRemoteConfiguration(): string {
  const database_id = deployedDatabaseId()
  const { name, account_id, compatibility_date } = readConfiguration()
  const d1_databases = [{ binding: 'DB', database_id, remote: true }]
  makeFolder('.wrangler')
  writeFileSync(REMOTE_CONFIG, JSON.stringify({ name, account_id, compatibility_date, d1_databases }))
  return REMOTE_CONFIG
}
