import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { digest, identifierHash, keyedHash } from '../../src/security/hashes.ts'

const settings = { JWT_SECRET: 'a secret of this test, longer than 32 bytes' }

it('keyedHash is the same for the same secret and parts, and differs by each of them', async () => {
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
  const hashAll = (secret: typeof settings) => Promise.all(lists.map((parts) => keyedHash(secret, ...parts)))
  const hashes = [...(await hashAll(settings)), ...(await hashAll(others))]
  expect(new Set(hashes).size).toBe(2 * lists.length)
  for (const hash of hashes) expect(hash).toMatch(/^[\w-]{43}$/)
  expect(await hashAll({ ...settings })).toEqual(await hashAll(settings))
})

it('identifierHash differs from the hashes of other purposes', async () => {
  const hash = await identifierHash(settings, 'ana@example.org')
  expect(hash).toMatch(/^[\w-]{43}$/)
  expect(hash).toBe(await identifierHash(settings, 'ana@example.org'))
  for (const purpose of ['', 'address', 'content', 'ana@example.org'])
    expect(await keyedHash(settings, purpose, 'ana@example.org')).not.toBe(hash)
})

it.each([
  ['', '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'],
  ['abc', 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0'],
])('digest of "%s" is its SHA-256 (FIPS 180-2) in base64url', async (text, expected) => {
  expect(await digest(text)).toBe(expected)
})

it('keyedHash is the HMAC of its purpose and values (RFC 2104)', async () => {
  const content = 'pseudonym ["network","192.0.2.1"]'
  const expected = createHmac('sha256', settings.JWT_SECRET).update(content).digest('base64url')
  expect(await keyedHash(settings, 'network', '192.0.2.1')).toBe(expected)
})
