import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformWithEsbuild } from 'vite'
import { expect, it } from 'vitest'

/** The oldest browsers that the pages of emailed links must work in. */
const OLDEST = ['safari13', 'chrome80', 'firefox78']

function pageFile(name: string): string {
  return readFileSync(join('src', 'pages', name), 'utf8')
}

async function built(code: string, target: string | string[]) {
  const result = await transformWithEsbuild(code, 'page.js', {
    target,
    sourcemap: false,
    supported: { destructuring: true },
  })
  return result.code
}

it('page.js has no syntax that the oldest browsers lack', async () => {
  const code = await built(pageFile('page.js'), 'esnext')
  expect(await built(code, OLDEST)).toBe(code)
  expect(await built('a ?? b', OLDEST)).not.toContain('??')
  // an array pattern with a rest, which Safari 13 may get wrong
  expect(code).not.toMatch(/\[[^\]]*\.\.\.\w+\] =/)
})

/** Properties, functions, selectors and rules that all of the oldest have, by the tables of MDN. */
const KNOWN = `
  background border border-color border-radius border-top
  box-sizing color cursor display font font-size font-weight
  margin margin-bottom max-width min-height opacity outline
  outline-offset overflow-wrap padding text-align
  text-decoration vertical-align width
  var :empty :focus :not :root @media`

/** What an old browser ignores, and nobody misses: ticks, hyphens, native controls in the dark. */
const EXTRAS = '-webkit-hyphens hyphens accent-color color-scheme list-style'

it('page.css has nothing that the oldest browsers lack, but a few extras', () => {
  const comments = /\/\*[^]*?\*\//g
  const names = /(?<=[{;]\s*)-?[a-z][a-z-]*(?=:)|[\w-]+(?=\()|:[a-z-]+|@[a-z-]+/g
  const used = pageFile('page.css').replace(comments, '').match(names)
  const known = `${KNOWN} ${EXTRAS}`.split(/\s+/)
  expect(used?.filter((name) => !known.includes(name))).toEqual([])
})
