import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { DatabaseSync } from '../../scripts/lib/sqlite.ts'
import { stateFiles } from '../../scripts/lib/state-folder.ts'

/** Where the runtime keeps the files of the local database of a state folder. */
export const databaseFolder = (stateDir: string) => stateFiles(stateDir).database

/**
 * Runs a statement on the local database of a state folder that no process uses, and returns its
 * rows.
 */
export function runSql(stateDir: string, sql: string, ...values: SQLInputValue[]) {
  const folder = databaseFolder(stateDir)
  const isData = (name: string) => /^(?!metadata).+\.sqlite$/.test(name)
  const database = new DatabaseSync(join(folder, readdirSync(folder).find(isData) ?? ''))
  const rows = database.prepare(sql).all(...values)
  database.close()
  return rows
}
