import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/depth.ts'
import { parseIfMatch } from '#http/request/entity-tags.ts'

/** Whether a header lets a person of revision 3 be changed. */
const namesThree = (header: string) => parseIfMatch(header)?.includes(3) ?? true

describe('If-Match', () => {
  it.each(['"3"', '"1", "3"', '"1","3","2"', '"a,b", "3"', '"é", "3"', '*'])(
    '%j names "3"',
    (sent) => {
      expect(namesThree(sent)).toBe(true)
    },
  )

  it.each([
    'W/"3"',
    '',
    '3',
    '"3',
    '"3"x',
    '"3" "3"',
    '"1", *',
    '" 3"',
    '"1" 3, "3"',
    '"a\\"", "3"',
  ])('%j does not name "3"', (sent) => {
    expect(namesThree(sent)).toBe(false)
  })

  /** Members of a list, valid and not, and how they are parted. */
  const member = fc.oneof(
    fc.constantFrom('"3"', '"1"', 'W/"3"', '"a,b"', '"3,"', '', '3', '"', '*', '"3"x'),
    fc.string({ unit: fc.constantFrom(...'"W/3, *x'), maxLength: 5 }),
  )

  /** Reads one tag after another, as RFC 9110 (5.6.1, 8.8.3) has the grammar. */
  function readsTag(header: string): boolean {
    if (/^[ \t]*\*[ \t]*$/.test(header)) return true
    let rest = header
    const tags: string[] = []
    for (;;) {
      rest = rest.replace(/^[ \t]+/, '')
      const tag = rest.match(/^(W\/)?"[\x21\x23-\x7e]*"/)?.[0]
      if (tag) tags.push(tag)
      rest = rest.slice(tag?.length ?? 0).replace(/^[ \t]+/, '')
      if (rest === '') return tags.includes('"3"')
      if (!rest.startsWith(',')) return false
      rest = rest.slice(1)
    }
  }

  it('is read like its grammar', () => {
    fc.assert(
      fc.property(
        fc.array(member, { maxLength: 5 }),
        fc.constantFrom(',', ', ', ' '),
        (members, by) => {
          const header = members.join(by)
          expect(namesThree(header)).toBe(readsTag(header))
        },
      ),
      { numRuns: runs(2000) },
    )
  })
})
