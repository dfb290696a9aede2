import { expect, it, onTestFinished, vi } from 'vitest'
import { inTurn } from '#security/hashing-queue.ts'

const sleep = (milliseconds = 0) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

it('hashes run one at a time, in the order of their arrival', async () => {
  const events: string[] = []
  const hash = (name: string) => async () => {
    events.push(`${name} begins`)
    await sleep()
    events.push(`${name} ends`)
    return name
  }
  const names = ['one', 'two', 'three', 'four']
  expect(await Promise.all(names.map((name) => inTurn(hash(name))))).toEqual(names)
  expect(events).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]))
})

it('between two hashes, what has come meanwhile is answered', async () => {
  const events: string[] = []
  const hash = async () => events.push('hash')
  const lookUp = async () => {
    await sleep()
    events.push('lookup')
  }
  const turns = Array.from({ length: 5 }, () => inTurn(() => (void lookUp(), hash())))
  await Promise.all(turns)
  expect(events.join(' ')).toMatch(/^(hash lookup ?){5}$/)
})

it('a hash that fails gives its turn back', async () => {
  const failing = inTurn(() => Promise.reject(new Error('no memory')))
  const next = inTurn(async () => 'hash')
  await expect(failing).rejects.toThrow('no memory')
  expect(await next).toBe('hash')
})

it('a hash that never ends, because its client has gone, delays the others for 30 seconds', async () => {
  void inTurn(() => new Promise(() => undefined))
  const others = [1, 2, 3].map((number) => inTurn(async () => number))
  const first = await Promise.race([others[0], sleep(500)])
  expect(first).toBe(undefined)

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await Promise.all(others)).toEqual([1, 2, 3])
})
