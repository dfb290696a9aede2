import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/depth.ts'
import { open, openByEither, seal } from '#security/sealed-secrets.ts'

const ONE = 'a secret of at least thirty-two bytes'
const OTHER = 'another secret of at least 32 bytes, too'
const PLAINTEXT = new TextEncoder().encode('12345678901234567890')

describe('seal', () => {
  it('is opened by the same secret for the same owner', async () => {
    const bytes = fc.uint8Array({ maxLength: 64 })
    await fc.assert(
      fc.asyncProperty(bytes, fc.string(), async (plaintext, owner) => {
        expect(await open(await seal(plaintext, ONE, owner), ONE, owner)).toEqual(
          plaintext,
        )
      }),
      { numRuns: runs(30) },
    )
  })

  it('never seals the same twice, and shows nothing of it', async () => {
    const [first, second] = [
      await seal(PLAINTEXT, ONE, 'a'),
      await seal(PLAINTEXT, ONE, 'a'),
    ]
    expect(first).not.toBe(second)
    expect(first).toMatch(/^[\w-]{64}$/) // 12 bytes of IV, 20 of it and 16 of tag
    expect(Buffer.from(first, 'base64url').includes(Buffer.from(PLAINTEXT))).toBe(false)
  })

  it.each([
    ['another secret', OTHER, 'a'],
    ['another owner', ONE, 'b'],
  ])('is not opened by %s', async (_, secret, owner) => {
    expect(await open(await seal(PLAINTEXT, ONE, 'a'), secret, owner)).toBeNull()
  })

  it('is not opened where a byte of it was changed', async () => {
    const sealed = Buffer.from(await seal(PLAINTEXT, ONE, 'a'), 'base64url')
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(await open(changed.toString('base64url'), ONE, 'a')).toBeNull()
    }
  })

  it.each(['', 'x', '*'])('is not opened where it is %j', async (sealed) => {
    expect(await open(sealed, ONE, 'a')).toBeNull()
  })
})

describe('openByEither', () => {
  it.each([
    [ONE, { JWT_SECRET: ONE }, true],
    [ONE, { JWT_SECRET: OTHER, JWT_SECRET_PREVIOUS: ONE }, true],
    [ONE, { JWT_SECRET: ONE, JWT_SECRET_PREVIOUS: OTHER }, true],
    [ONE, { JWT_SECRET: OTHER }, false],
  ])('opens what %j sealed by %j: %s', async (by, secrets, isOpened) => {
    const sealed = await seal(PLAINTEXT, by, 'a')
    expect(await openByEither(sealed, secrets, 'a')).toEqual(isOpened ? PLAINTEXT : null)
  })
})
