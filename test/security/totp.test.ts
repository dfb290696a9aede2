import { describe, expect, it } from 'vitest'
import { base32, findTotpStep, otpauthUri } from '#security/totp.ts'

const STEP_MS = 30_000

/** The secret of RFC 6238, appendix B. */
const SECRET = new TextEncoder().encode('12345678901234567890')

/** Its test vectors for SHA-1, of which six digits are the last six of eight. */
const VECTORS: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]

const stepAt = (seconds: number) => Math.floor(seconds / 30)

describe('findTotpStep', () => {
  it.each(VECTORS)('finds the step of RFC 6238 at %i seconds', (seconds, code) => {
    expect(findTotpStep(SECRET, code, null, seconds * 1000)).toBe(stepAt(seconds))
  })

  it.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])('accepts the code of a clock that is %i steps away: %s', (steps, isAccepted) => {
    const [seconds, code] = [1_234_567_890, '005924']
    const now = seconds * 1000 - steps * STEP_MS
    const step = findTotpStep(SECRET, code, null, now)
    expect(step).toBe(isAccepted ? stepAt(seconds) : null)
  })

  it.each([
    [-1, true],
    [0, false],
    [1, false],
  ])(
    'accepts a code where the last used step was %i steps after it: %s',
    (steps, isAccepted) => {
      const [seconds, code] = [1_234_567_890, '005924']
      const step = findTotpStep(SECRET, code, stepAt(seconds) + steps, seconds * 1000)
      expect(step).toBe(isAccepted ? stepAt(seconds) : null)
    },
  )

  it.each([
    '05924',
    '0005924',
    ' 005924',
    '005924\n',
    '٠٠٥٩٢٤',
    '5924',
    '5924.0',
    '',
    'abcdef',
  ])('takes %j for no code', (code) => {
    expect(findTotpStep(SECRET, code, null, 1_234_567_890_000)).toBeNull()
  })
})

it('base32 writes twenty bytes as thirty-two characters without padding', () => {
  expect(base32(SECRET)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
})

describe('otpauthUri', () => {
  it.each([
    [
      'Chancelaria',
      'admin@example.org',
      'otpauth://totp/Chancelaria:admin%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Chancelaria',
    ],
    [
      'Cúria & Chancelaria',
      "d'ávila+1@example.org",
      "otpauth://totp/C%C3%BAria%20%26%20Chancelaria:d'%C3%A1vila%2B1%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=C%C3%BAria%20%26%20Chancelaria",
    ],
  ])('names %s and %s, percent-encoded', (issuer, account, uri) => {
    expect(otpauthUri(issuer, account, SECRET)).toBe(uri)
    expect(new URL(uri).searchParams.get('issuer')).toBe(issuer)
  })
})
