import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { DatabaseSync } from '../../scripts/lib/sqlite.ts'
import { stateFiles } from '../../scripts/lib/state-folder.ts'
import { runInProcess } from './in-process.ts'

const folders = temporaryState()
afterAll(folders.remove)

function folder(name: string): string {
  const path = join(folders.stateDir, name)
  mkdirSync(path, { recursive: true })
  return path
}

const RESET = 'Deleted. npm start fills an empty database with demo data.\n'

it.each<[string, string, (files: Files) => unknown]>([
  [
    'on a full disk',
    'no space left on device',
    ({ room }) => symlinkSync('/dev/full', room),
  ],
  [
    'that is damaged',
    'file is not a database',
    ({ file }) => writeFileSync(file, 'no database'.repeat(100)),
  ],
])('a database %s is told on one line, and can be deleted', async (at, why, spoil) => {
  const STATE_DIR = folder(at)
  const { own, database, room } = stateFiles(STATE_DIR)
  for (const path of [own, database]) mkdirSync(path, { recursive: true })
  spoil({ room, file: join(database, 'of-the-runtime.sqlite') })

  const env = { STATE_DIR }
  const line = `the database in ${STATE_DIR} cannot be written (${why}).`
  const args = ['password', '--email', 'x@example.org']
  expect(await runInProcess('admin', args, { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: `Cannot change the account: ${line}\n`,
  })
  const reset = await runInProcess('reset', ['--yes'], { env })
  expect(reset).toEqual({ code: 0, stdout: RESET, stderr: '' })
})

type Files = { room: string; file: string }

it('a database that another program has open is neither used nor deleted', async () => {
  const STATE_DIR = folder('open elsewhere')
  const { database } = stateFiles(STATE_DIR)
  mkdirSync(database, { recursive: true })
  const open = new DatabaseSync(join(database, 'of-the-runtime.sqlite'))
  onTestFinished(() => open.close())
  open.exec('pragma journal_mode = wal; create table a (b)')

  const { code, stderr } = await runInProcess('reset', ['--yes'], { env: { STATE_DIR } })
  expect([code, stderr]).toEqual([
    1,
    `Cannot reset: another process uses ${STATE_DIR}. End it (pgrep workerd prints the id of ` +
      'one whose npm start was killed), or choose another folder with STATE_DIR.\n',
  ])
})

it('npm run reset deletes nothing that others keep in the folder', async () => {
  const STATE_DIR = folder('of somebody')
  const theirs = [
    'build',
    'v3',
    'v3/d1',
    'v3/d1/miniflare-D1DatabaseObject.bak',
    'lock',
    'lock.pid',
    'demo-data-pending',
  ]
  const files = theirs.map((name) => join(STATE_DIR, name, 'file'))
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '')
  }
  const { database } = stateFiles(STATE_DIR)
  mkdirSync(database, { recursive: true })
  const reset = await runInProcess('reset', ['--yes'], { env: { STATE_DIR } })
  expect(reset).toMatchObject({ code: 0, stdout: RESET })
  expect(existsSync(database)).toBe(false)
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})
