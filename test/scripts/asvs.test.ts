import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync('docs/asvs.md', 'utf8')

/** As in `- **6.2.1** At least eight characters: **deviates**. The specification says six.` */
const REQUIREMENT = /^- \*\*\d[\d.]+\*\* .+?: \*\*(?<verdict>.+?)\*\*[.:] (?<reason>.+)$/
const lines = page.split('\n').filter((line) => /^- \*\*\d/.test(line))

const NUMBER = /(?<![\d.])[1-9]\d*(?:\.[1-9]\d*){2}(?![\d.]*\d)/g
const PATH = /`((?:[\w.-]+\/)+[\w.-]+|[\w.-]+\.(?:md|toml|json))`/g
/** Titles follow the file of their test. */
const TITLED = /`(?<file>[\w./-]+\.test\.ts)`(?<titles>(?:,? "[^"]+")+)/g

/** Whether a file has a test, or a group of tests, of a title. */
function hasTest(file: string, title: string): boolean {
  const source = readFileSync(file, 'utf8')
  return ["'", '`'].some((quote) => {
    const [, behind = ''] = source.split(quote + title + quote)
    return /^,\s*(async\b|\(|\{)/.test(behind)
  })
}

describe('docs/asvs.md', () => {
  it('says of each requirement whether it holds, is not ours or deviates, and why', () => {
    expect(lines.length).toBeGreaterThan(150)
    for (const line of lines) {
      const { verdict, reason } = REQUIREMENT.exec(line)?.groups ?? {}
      expect(['holds', 'not ours', 'deviates'], line).toContain(verdict)
      if (verdict === 'holds') expect(reason, line).toMatch(/`|\[Below\]/)
    }
  })

  it('names each requirement once', () => {
    const numbers = [...page.matchAll(NUMBER)].map(([number]) => number)
    expect(numbers.length).toBeGreaterThan(lines.length)
    expect(numbers.filter((number, index) => numbers.indexOf(number) < index)).toEqual([])
  })

  it('names files that exist', () => {
    const paths = [...page.matchAll(PATH)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(150)
    expect(paths.filter((path) => !existsSync(path))).toEqual([])
  })

  it('names tests that exist', () => {
    const tests = [...page.matchAll(TITLED)].flatMap(({ groups }) => {
      const { file = '', titles = '' } = groups ?? {}
      return titles.split(/,? ?"/).flatMap((title) => (title ? [{ file, title }] : []))
    })
    expect(tests.length).toBeGreaterThan(100)
    expect(tests.filter(({ file, title }) => !hasTest(file, title))).toEqual([])
  })
})
