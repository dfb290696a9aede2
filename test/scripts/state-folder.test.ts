import { fork } from 'node:child_process'
import { once } from 'node:events'
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

const HELD =
  'another program has the database in STATE open. Close it, or choose another folder with STATE_DIR.'
const RESET = 'Deleted. npm start fills an empty database with demo data.\n'

it.each<[string, string, (files: Files) => unknown, string?]>([
  [
    'on a full disk',
    'the database in STATE cannot be written (no space left on device).',
    ({ room }) => symlinkSync('/dev/full', room),
  ],
  [
    'that is damaged',
    'the database in STATE cannot be written (file is not a database).',
    ({ file }) => writeFileSync(file, 'no database'.repeat(100)),
  ],
  ['that another program has open', HELD, ({ file }) => openElsewhere(file), HELD],
])(
  'a database %s is told on one line, with its folder',
  async (at, why, spoil, onReset) => {
    const STATE_DIR = folder(at)
    const { own, database, room } = stateFiles(STATE_DIR)
    for (const path of [own, database]) mkdirSync(path, { recursive: true })
    spoil({ room, file: join(database, 'of-the-runtime.sqlite') })

    const lineOf = (verb: string, problem: string) =>
      `Cannot ${verb}: ${problem.replace('STATE', STATE_DIR)}\n`
    const options = { env: { STATE_DIR } }
    const used = await runInProcess(
      'admin',
      ['password', '--email', 'x@example.org'],
      options,
    )
    expect(used).toEqual({
      code: 1,
      stdout: '',
      stderr: lineOf('change the account', why),
    })
    expect(await runInProcess('reset', ['--yes'], options)).toMatchObject(
      onReset
        ? { code: 1, stderr: lineOf('reset', onReset) }
        : { code: 0, stdout: RESET },
    )
  },
)

type Files = { room: string; file: string }

/** As a viewer of databases does, which only reads. */
function openElsewhere(file: string): void {
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.exec('pragma journal_mode = wal; create table a (b)')
}

it('npm run reset deletes nothing that others keep in the folder', async () => {
  const STATE_DIR = folder('of somebody')
  const theirs = ['build', 'v3', 'v3/d1', 'lock', 'lock.pid', 'demo-data-pending']
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

/** A process of its own that locks what it is told. */
function contender() {
  const child = fork('test/scripts/lock-contender.ts', { execArgv: [] })
  return {
    async lock(folder: string, at = 0) {
      const answer = once(child, 'message')
      child.send({ folder, at })
      const [outcome] = await answer
      return String(outcome)
    },
    async kill() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

it('of three processes that lock a folder in the same instant, one alone gets it', async () => {
  const contenders = [contender(), contender(), contender()]
  await Promise.all(contenders.map(({ lock }) => lock(folder('warm-up'))))

  for (let round = 1; round <= 10; round += 1) {
    const state = folder(`contested-${round}`)
    const at = Date.now() + 10
    const outcomes = await Promise.all(contenders.map(({ lock }) => lock(state, at)))
    const locked = outcomes.filter((outcome) => outcome === 'locked')
    expect(locked, `round ${round}`).toHaveLength(1)
  }
  await Promise.all(contenders.map(({ kill }) => kill()))

  const next = contender()
  expect(await next.lock(folder('contested-1')), 'after kill -9').toBe('locked')
  await next.kill()
})
