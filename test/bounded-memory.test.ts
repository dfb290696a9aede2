import { describe, expect, it } from 'vitest'
import { BoundedMemory } from '../src/bounded-memory.ts'

describe('BoundedMemory', () => {
  it('keeps no more than it may, in number and in size, the newest', () => {
    const memory = new BoundedMemory<string>({ entries: 3, size: 100, milliseconds: 1000 })
    for (const key of ['a', 'b', 'c', 'd']) memory.set(key, key, 10)
    expect(['a', 'b', 'c', 'd'].map((key) => memory.get(key))).toEqual([null, 'b', 'c', 'd'])
    memory.set('e', 'e', 85)
    expect(['b', 'c', 'd', 'e'].map((key) => memory.get(key))).toEqual([null, null, 'd', 'e'])
    memory.set('f', 'f', 101)
    expect(memory.get('f')).toBeNull()
    memory.set('e', 'again', 5)
    expect([memory.get('d'), memory.get('e')]).toEqual(['d', 'again'])
    memory.clear()
    expect(memory.get('e')).toBeNull()
  })
})
