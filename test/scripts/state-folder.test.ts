import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { temporaryState } from '../../scripts/lib/service-process.ts'
import { lockStateDir } from '../../scripts/lib/state-folder.ts'
import { runInProcess } from './in-process.ts'

const folders = temporaryState()
afterAll(folders.remove)

/** A new folder, with a mode whatever the umask is. */
function folder(name: string, mode = 0o755): string {
  const path = join(folders.stateDir, name)
  mkdirSync(path, { recursive: true })
  chmodSync(path, mode)
  return path
}
const modeOf = (path: string) => lstatSync(path).mode & 0o777

it.each([
  ['the database', 'v3', ''],
  ['something of the database', 'd1', 'v3'],
  ['the build', 'build', ''],
  ['that the demo data are due', 'demo-data-pending', ''],
])('npm start refuses a state folder where %s is a link', async (_, name, parent) => {
  const target = folder(`target-${name}`)
  const state = folder(`state-${name}`)
  const link = join(folder(join(`state-${name}`, parent)), name)
  symlinkSync(target, link)

  const { code, stderr } = await runInProcess('start', [], {
    env: { STATE_DIR: state, PORT: '' },
  })
  expect(stderr).toBe(
    `Cannot start: ${link} is a symbolic link. Choose another folder with STATE_DIR.\n`,
  )
  expect(code).toBe(1)
  expect(readdirSync(target)).toEqual([])
  expect(modeOf(target)).toBe(0o755)
  expect(readdirSync(state)).not.toContain('lock')
})

it('npm start refuses a state folder of another user', async () => {
  const isRoot = process.getuid?.() === 0
  const state = isRoot ? folder('foreign') : '/tmp' // of root, but everybody may write
  if (isRoot) chownSync(state, 12_345, 12_345)
  const { code, stderr } = await runInProcess('start', [], {
    env: { STATE_DIR: state, PORT: '' },
  })
  expect(stderr).toBe(
    `Cannot start: the folder ${state} belongs to another user. ` +
      'Choose another folder with STATE_DIR.\n',
  )
  expect(code).toBe(1)
})

it('others may neither write in the state folder nor read the database', () => {
  const state = folder('open', 0o777)
  const database = folder(join('open', 'v3'))
  writeFileSync(join(database, 'file'), '')
  lockStateDir(state)
  expect(modeOf(state)).toBe(0o755)
  expect(modeOf(database)).toBe(0o700)
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

const inUse = (path: string) =>
  `another process uses ${path}. End it, or choose another folder with STATE_DIR.`

it('of three processes that lock a folder in the same instant, one alone gets it', async () => {
  const contenders = [contender(), contender(), contender()]
  await Promise.all(contenders.map(({ lock }) => lock(folder('warm-up'))))

  for (let round = 1; round <= 40; round += 1) {
    const state = folder(`contested-${round}`)
    const at = Date.now() + 10
    const outcomes = await Promise.all(contenders.map(({ lock }) => lock(state, at)))
    const expected = ['locked', inUse(state), inUse(state)].toSorted()
    expect(outcomes.toSorted(), `round ${round}`).toEqual(expected)
  }
  await Promise.all(contenders.map(({ kill }) => kill()))
})

it('three processes that find the lock of a killed one do not share the folder either', async () => {
  const contenders = [contender(), contender(), contender()]
  for (let round = 1; round <= 5; round += 1) {
    const state = folder(`abandoned-${round}`)
    const former = contender()
    expect(await former.lock(state)).toBe('locked')
    expect(await contenders[0]?.lock(state)).toBe(inUse(state))
    await former.kill()

    const at = Date.now() + 10
    const outcomes = await Promise.all(contenders.map(({ lock }) => lock(state, at)))
    const expected = ['locked', inUse(state), inUse(state)].toSorted()
    expect(outcomes.toSorted(), `round ${round}`).toEqual(expected)
  }
  await Promise.all(contenders.map(({ kill }) => kill()))
})
