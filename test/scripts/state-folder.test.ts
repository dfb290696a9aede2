import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { temporaryState } from '../../scripts/dev/service-process.ts'
import { runInProcess } from './in-process.ts'

const folders = temporaryState()
afterAll(folders.remove)

function folder(name: string): string {
  const path = join(folders.stateDir, name)
  mkdirSync(path, { recursive: true })
  return path
}

it.each(['start', 'reset'])(
  'npm run %s refuses the root as its folder',
  async (script) => {
    const { code, stderr } = await runInProcess(script, [], {
      env: { STATE_DIR: '/', PORT: '' },
    })
    const problem = 'STATE_DIR must be a folder of its own, not /.'
    expect([code, stderr]).toEqual([1, `Cannot ${script}: ${problem}\n`])
  },
)

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
