import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { digest, keyedHash } from '#security/hashes.ts'

const SECRET = 'a secret of this test, longer than 32 bytes'

it('keyedHash is the HMAC of its purpose and values (RFC 2104)', () => {
  const content = 'pseudonym ["network","192.0.2.1"]'
  const expected = createHmac('sha256', SECRET).update(content).digest('base64url')
  expect(keyedHash(SECRET, 'network', '192.0.2.1')).toBe(expected)
})

it('keyedHash differs by the secret and by each of its parts', () => {
  const lists = [
    [],
    [''],
    ['', ''],
    ['a', 'bc'],
    ['ab', 'c'],
    ['abc'],
    ['bc', 'a'],
    ['a","bc'],
    ['["a"]'],
  ]
  const hashes = [SECRET, `${SECRET}.`].flatMap((secret) =>
    lists.map((parts) => keyedHash(secret, ...parts)),
  )
  expect(new Set(hashes).size).toBe(2 * lists.length)
})

it.each([
  ['', '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'],
  ['abc', 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0'],
])('digest of "%s" is its SHA-256 (FIPS 180-2) in base64url', async (text, expected) => {
  expect(await digest(text)).toBe(expected)
})
