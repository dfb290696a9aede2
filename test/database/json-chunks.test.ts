import { describe, expect, it } from 'vitest'
import { toJsonChunks } from '../../src/database/json-chunks.ts'

/** A row of which the JSON has the given length. */
const row = (length: number) => 'x'.repeat(length - 2)

describe('toJsonChunks', () => {
  it.each([
    [[], []],
    [[10], [1]],
    [[200_000, 200_000], [2]],
    [
      [200_000, 200_001],
      [1, 1],
    ],
    [
      [200_000, 200_000, 400_000, 1],
      [2, 1, 1],
    ],
    [
      [500_000, 3],
      [1, 1],
    ],
  ])('splits rows of %j characters into chunks of %j rows', (lengths, rows) => {
    const all = lengths.map((length) => (length === 1 ? 1 : row(length)))
    const chunks = toJsonChunks(all).map((chunk) => JSON.parse(chunk) as unknown[])
    expect(chunks.map((chunk) => chunk.length)).toEqual(rows)
    expect(chunks.flat()).toEqual(all)
  })
})
