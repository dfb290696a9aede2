import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformWithEsbuild } from 'vite'
import { describe, expect, it } from 'vitest'

/** The oldest browsers that the pages of emailed links must work in. */
const OLDEST = ['safari13', 'chrome80', 'firefox78']

function pageFile(name: string): string {
  return readFileSync(join('src', 'pages', name), 'utf8')
}

describe('page.js', () => {
  async function built(code: string, target: string | string[]) {
    const result = await transformWithEsbuild(code, 'page.js', {
      target,
      sourcemap: false,
      supported: { destructuring: true },
    })
    return result.code
  }

  it('has no syntax that the oldest browsers lack', async () => {
    const code = await built(pageFile('page.js'), 'esnext')
    expect(await built(code, OLDEST)).toBe(code)
    expect(await built('a ?? b', OLDEST)).not.toContain('??')
  })

  it('has no array pattern with a rest, which Safari 13 may get wrong', () => {
    expect(pageFile('page.js')).not.toMatch(/\[[^\]]*\.\.\.\w+\] =/)
  })
})

describe('page.css', () => {
  const comments = /\/\*[^]*?\*\//g
  const css = pageFile('page.css').replace(comments, '')

  /** The first groups of a pattern, each once, in order. */
  function all(pattern: RegExp): string[] {
    const matches = [...css.matchAll(pattern)]
    const names = matches.map(([, name = '']) => name)
    return [...new Set(names)].sort()
  }

  /** In all of the oldest browsers, by the tables of MDN. */
  const KNOWN = `
    background border border-color border-radius border-top
    box-sizing color cursor display font font-size font-weight
    margin margin-bottom max-width min-height opacity outline
    outline-offset overflow-wrap padding text-align
    text-decoration vertical-align width`
  /**
   * What an old browser ignores, and nobody misses: ticks, hyphens, native controls in the dark.
   */
  const EXTRAS = `
    -webkit-hyphens hyphens accent-color color-scheme list-style`

  it('has no property that the oldest browsers lack, but a few that are not missed', () => {
    const known = `${KNOWN} ${EXTRAS}`.split(/\s+/)
    const properties = all(/[{;]\s*(-?[a-z][a-z-]*):/g)
    const unknown = properties.filter((name) => {
      return !known.includes(name)
    })
    expect(properties.length).toBeGreaterThan(20)
    expect(unknown).toEqual([])
  })

  it('has no function, selector or rule that the oldest browsers lack', () => {
    const functions = all(/([\w-]+)\(/g)
    expect(functions).toEqual(['not', 'var'])

    const selectors = all(/:([a-z-]+)/g)
    expect(selectors).toEqual(['empty', 'focus', 'not', 'root'])

    const rules = all(/@([^{]+) \{/g)
    expect(rules).toEqual([
      'media (min-width: 36rem)',
      'media (prefers-color-scheme: dark)',
    ])
  })
})
