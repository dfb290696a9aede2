import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { lowerPasswordCost, restorePasswordCost } from '../support/password-cost.ts'
import { nodeCrypto } from '#security/node-crypto.ts'
import { hashPassword, verifyPassword } from '#security/passwords.ts'

const WEAK = { ln: 10, r: 8, p: 1 }

beforeAll(restorePasswordCost)
afterAll(lowerPasswordCost)

describe('hashPassword', () => {
  it('gives a PHC string with the parameters, salted anew each time', async () => {
    const [one, other] = [await hashPassword('Senha1'), await hashPassword('Senha1')]
    expect(one).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(other).not.toBe(one)
  })
})

describe('verifyPassword', () => {
  it.each(['Senha1', 'ação É 1', '😀Aa1aaa', ' Aa1 espaços '])(
    'matches %s and nothing else',
    async (password) => {
      const hash = await hashPassword(password, WEAK)
      expect(await verifyPassword(password, hash)).toEqual({
        matches: true,
        needsRehash: true,
      })
      expect((await verifyPassword(`${password} `, hash)).matches).toBe(false)
    },
  )

  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const rfc7914 = (parameters: string, salt: string, key: string) =>
    `$scrypt$${parameters}$${encode(Buffer.from(salt))}$${encode(Buffer.from(key, 'hex'))}`
  // Section 12 of the RFC.
  const NACL = rfc7914(
    'ln=10,r=8,p=16',
    'NaCl',
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
  )
  const SODIUM_CHLORIDE = rfc7914(
    'ln=14,r=8,p=1',
    'SodiumChloride',
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
  )

  it.each([
    ['password', NACL],
    ['pleaseletmein', SODIUM_CHLORIDE],
  ])('computes scrypt of "%s" as RFC 7914 does', async (password, hash) => {
    expect(await verifyPassword(password, hash)).toEqual({
      matches: true,
      needsRehash: true,
    })
  })

  it.each([
    { ln: 13, r: 8, p: 5 },
    { ln: 14, r: 1, p: 5 },
    { ln: 14, r: 8, p: 4 },
    { ln: 10, r: 16, p: 1 },
  ])('matches a hash of %j, which needs a new one', async (strength) => {
    const hash = await hashPassword('Senha1', strength)
    expect(await verifyPassword('Senha1', hash)).toEqual({
      matches: true,
      needsRehash: true,
    })
  })

  it('accepts a current hash as up to date', async () => {
    expect(await verifyPassword('Senha1', await hashPassword('Senha1'))).toEqual({
      matches: true,
      needsRehash: false,
    })
  })

  it('does the same work for nobody as for a user, so that its duration tells nothing', async () => {
    const scrypt = vi.spyOn(nodeCrypto(), 'scrypt')
    await verifyPassword('password', await hashPassword('Senha1'))
    await verifyPassword('password', null)

    const [, ofUser, ofNobody] = scrypt.mock.calls.map(([, salt, bytes, options]) => [
      Buffer.from(salt as Buffer).length,
      bytes,
      options,
    ])
    expect(scrypt).toHaveBeenCalledTimes(3)
    expect(ofNobody).toEqual(ofUser)
  })

  it.each([null, '', 'password', '$argon2id$v=19$m=1$x$y', `x${NACL}`, `${NACL} `])(
    'never matches the stored %s',
    async (stored) => {
      expect(await verifyPassword('password', stored)).toEqual({
        matches: false,
        needsRehash: false,
      })
    },
  )
})
