import { expect, it } from 'vitest'
import { identifierHash, keyedHash } from '../../src/security/hashes.ts'

const settings = { JWT_SECRET: 'a secret of this test, longer than 32 bytes' }

it('keyedHash is the same for the same secret and parts, and differs by each of them', () => {
  const lists = [
    [],
    [''],
    ['', ''],
    ['a'],
    ['a', 'bc'],
    ['ab', 'c'],
    ['abc'],
    ['bc', 'a'],
    ['a","bc'],
    ['["a"]'],
  ]
  const others = { JWT_SECRET: `${settings.JWT_SECRET}.` }
  const hashes = lists.flatMap((parts) => [keyedHash(settings, ...parts), keyedHash(others, ...parts)])
  expect(new Set(hashes).size).toBe(2 * lists.length)
  for (const hash of hashes) expect(hash).toMatch(/^[\w-]{43}$/)
  expect(lists.map((parts) => keyedHash({ ...settings }, ...parts))).toEqual(
    lists.map((parts) => keyedHash(settings, ...parts)),
  )
})

it('identifierHash differs from the hashes of other purposes', () => {
  const hash = identifierHash(settings, 'ana@example.org')
  expect(hash).toMatch(/^[\w-]{43}$/)
  expect(hash).toBe(identifierHash(settings, 'ana@example.org'))
  for (const purpose of ['', 'address', 'content', 'ana@example.org'])
    expect(keyedHash(settings, purpose, 'ana@example.org')).not.toBe(hash)
})
