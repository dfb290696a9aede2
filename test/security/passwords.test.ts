import { describe, expect, it } from 'vitest'
import { hashPassword, verifyPassword } from '../../src/security/passwords.ts'

const WEAK = { ln: 10, r: 8, p: 1 }

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
      expect(await verifyPassword(password, hash)).toEqual({ matches: true, needsRehash: true })
      expect((await verifyPassword(`${password} `, hash)).matches).toBe(false)
    },
  )

  it('computes scrypt as RFC 7914 does', async () => {
    // Section 12: scrypt("pleaseletmein", "SodiumChloride", N=16384, r=8, p=1, 64 bytes)
    const key =
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887'
    const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    const hash = `$scrypt$ln=14,r=8,p=1$${encode(Buffer.from('SodiumChloride'))}$${encode(Buffer.from(key, 'hex'))}`
    expect(await verifyPassword('pleaseletmein', hash)).toEqual({ matches: true, needsRehash: true })
  })

  it('accepts a current hash as up to date', async () => {
    expect(await verifyPassword('Senha1', await hashPassword('Senha1'))).toEqual({
      matches: true,
      needsRehash: false,
    })
  })

  it.each([null, '', 'Senha1', '$argon2id$v=19$m=1$x$y'])('never matches the stored %s', async (stored) => {
    expect(await verifyPassword('Senha1', stored)).toEqual({ matches: false, needsRehash: false })
  })
})
