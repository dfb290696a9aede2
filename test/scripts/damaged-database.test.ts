import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { withLocalDatabase } from '../../scripts/lib/database.ts'
import { RESTORE_GUIDE } from '../../scripts/lib/guides.ts'
import { temporaryState } from '../../scripts/lib/service-process.ts'
import { DatabaseSync } from '../../scripts/lib/sqlite.ts'
import { runInProcess } from './in-process.ts'
import { databaseFolder } from './local-database.ts'

/** A state folder with an empty database, and the path of one of the files in it. */
async function databaseFile(isWanted: (name: string) => boolean) {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  await withLocalDatabase(stateDir, async () => undefined)

  const folder = databaseFolder(stateDir)
  const file = readdirSync(folder).find(
    (name) => name.endsWith('.sqlite') && isWanted(name),
  )
  const path = join(folder, file ?? '')
  const database = new DatabaseSync(path)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
  return { stateDir, path }
}

const isMetadata = (name: string) => name === 'metadata.sqlite'
const isData = (name: string) => !isMetadata(name)
const overwrite = (path: string) => writeFileSync(path, 'no database at all')
/** As a copy that was interrupted. */
const cut = (path: string) => truncateSync(path, 20_000)
/** Pages in the middle, after an intact header. */
function scribble(path: string): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(40_000, 'x'), 0, 40_000, 8192)
  closeSync(file)
}

it.each([
  ['overwritten', isData, overwrite, 'file is not a database'],
  ['cut', isData, cut, 'database disk image is malformed'],
  ['with damaged pages', isData, scribble, 'its content is inconsistent'],
  ["the runtime's own, overwritten", isMetadata, overwrite, 'file is not a database'],
])(
  'a damaged database file is named on one line, with what helps: %s',
  async (_, isWanted, damage, reason) => {
    const { stateDir, path } = await databaseFile(isWanted)
    damage(path)
    const env = { STATE_DIR: stateDir, PORT: '' }
    const line =
      `the database file ${path} is damaged (${reason}). npm run reset begins anew; ` +
      `to restore a backup, see ${RESTORE_GUIDE}.\n`

    const started = await runInProcess('start', [], { env })
    expect(started).toEqual({ code: 1, stdout: '', stderr: `Cannot start: ${line}` })
    const args = ['create', '--email', 'ana@example.org', '--first-name', 'Ana']
    const created = await runInProcess('admin', args, { env, input: 'a good Passw0rd\n' })
    expect(created.stderr).toContain(line)
    expect(await runInProcess('reset', ['--yes'], { env })).toMatchObject({ code: 0 })
  },
)

it('of a damaged file of the rate limits no other data need be given up', async () => {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  const path = join(stateDir, 'v3', 'ratelimit', 'counts.sqlite')
  mkdirSync(dirname(path), { recursive: true })
  overwrite(path)
  const { code, stderr } = await runInProcess('start', [], {
    env: { STATE_DIR: stateDir, PORT: '' },
  })
  expect(stderr).toBe(
    `Cannot start: the database file ${path} is damaged (file is not a database). ` +
      'Delete it: npm start makes it anew.\n',
  )
  expect(code).toBe(1)
})
