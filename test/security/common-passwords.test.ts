import { describe, expect, it } from 'vitest'
import { fold } from '#domain/folding.ts'
import gzipped from '#generated/passwords/common.txt.gz.bin'
import { password } from '#http/request/person-fields.ts'
import { readCommonPasswords } from '#security/common-passwords.ts'

/** A variant that keeps to the rules: with its first letter a capital. */
const capitalized = (text: string) =>
  text.replace(/\p{Ll}/u, (letter) => letter.toUpperCase())

describe('the common passwords', () => {
  it('are at least 3,000, folded, that the rules let through', async () => {
    const words = [...(await readCommonPasswords())]
    expect(words.length).toBeGreaterThanOrEqual(3_000)
    expect(words.filter((word) => fold(word) !== word)).toEqual([])
    const refused = words.filter((word) => !password.safeParse(capitalized(word)).success)
    expect(refused).toEqual([])
  })

  it.each(['abc123', 'password1', 'qwerty123', 'passw0rd', '1q2w3e4r', 'senha123'])(
    'have %s',
    async (word) => {
      expect((await readCommonPasswords()).has(word)).toBe(true)
    },
  )

  it.each(['', 'provisao2026', 'outra2026'])('have no %j', async (word) => {
    expect((await readCommonPasswords()).has(word)).toBe(false)
  })

  it('take at most 16 KiB', () => {
    expect(gzipped.byteLength).toBeLessThanOrEqual(16 * 1024)
  })
})
