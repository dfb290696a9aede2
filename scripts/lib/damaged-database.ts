import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { RESTORE_GUIDE } from './guides.ts'
import { DatabaseSync } from './sqlite.ts'

const REMEDY = `npm run reset begins anew; to restore a backup, see ${RESTORE_GUIDE}.`

/**
 * Looks at the files of a local database before the runtime opens them, which reports damage in
 * its own words, or when a request meets it.
 * @throws naming a file that is damaged
 */
export function refuseDamage(folder: string): void {
  if (!existsSync(folder)) {
    return
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    const damage = name.endsWith('.sqlite') ? damageOf(path) : undefined
    if (damage) {
      const remedy = name.startsWith('d1')
        ? REMEDY
        : 'Delete it: npm start makes it anew.'
      throw new Error(`the database file ${path} is damaged (${damage}). ${remedy}`)
    }
  }
}

/** What SQLite finds, without the check of each index against its table, which takes long. */
function damageOf(path: string): string | undefined {
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    const [row] = database.prepare('pragma quick_check(1)').all()
    database.close()
    return row?.quick_check === 'ok' ? undefined : 'its content is inconsistent'
  } catch (error) {
    return (error as Error).message
  }
}
