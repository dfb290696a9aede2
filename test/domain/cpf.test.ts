import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/depth.ts'
import { isCpf } from '#domain/cpf.ts'

describe('isCpf', () => {
  it.each(['52998224725', '11144477735', '00000000191', '12345678909', '39053344705'])(
    'accepts %s',
    (digits) => {
      expect(isCpf(digits)).toBe(true)
    },
  )

  it.each([
    '52998224724',
    '52998224735',
    '12345678900',
    '00000000000',
    '11111111111',
    '99999999999',
  ])('rejects %s', (digits) => {
    expect(isCpf(digits)).toBe(false)
  })

  const nineDigits = fc.array(fc.integer({ min: 0, max: 9 }), {
    minLength: 9,
    maxLength: 9,
  })

  it('accepts exactly one pair of check digits for nine digits that are not all equal', () => {
    fc.assert(
      fc.property(nineDigits, (digits) => {
        fc.pre(new Set(digits).size > 1)
        const pairs = Array.from(
          { length: 100 },
          (_, pair) => digits.join('') + String(pair).padStart(2, '0'),
        )
        expect(pairs.filter(isCpf)).toHaveLength(1)
      }),
      { numRuns: runs(200) },
    )
  })
})
