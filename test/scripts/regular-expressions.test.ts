import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { analyse } from 'scslre'
import {
  createSourceFile,
  forEachChild,
  isRegularExpressionLiteral,
  type Node,
  ScriptTarget,
} from 'typescript'
import { expect, it, vi } from 'vitest'

/** Slow for a long text, which none of these gets. */
const OF_SHORT_TEXTS = [
  String.raw`/\/+$/`, // addresses in settings and arguments
  String.raw`/^\s*"?([^"<>]+?)"?\s*<([^<>]+)>\s*$/`, // EMAIL_FROM
  String.raw`/=+$/`, // Base64 of a hash
  String.raw`/^["'\p{Pi}\p{Pf}‚„]+|["'\p{Pi}\p{Pf}‚„]+$/gu`, // names, of at most 150 characters
]

/** Assemble one in a function, of texts of the project. */
const IN_FUNCTIONS = [
  'scripts/build/assets.ts',
  'src/domain/unicode-pattern.ts',
  'src/http/response/cors.ts',
  'src/pages/page.js',
]

const files = ['src', 'scripts'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|mjs)$/.test(name) && !name.startsWith('generated'))
    .map((name) => join(folder, name)),
)

/** The regular expressions that are literals of a file. */
function literalsOf(path: string): RegExp[] {
  const found: RegExp[] = []
  const visit = (node: Node) => {
    if (isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      found.push(new RegExp(node.text.slice(1, end), node.text.slice(end + 1)))
    }
    forEachChild(node, visit)
  }
  visit(createSourceFile(path, readFileSync(path, 'utf8'), ScriptTarget.Latest))
  return found
}

/** The regular expressions that a module assembles while it is loaded. */
async function assembledBy(path: string): Promise<RegExp[]> {
  const made: RegExp[] = []
  vi.resetModules()
  vi.stubGlobal(
    'RegExp',
    class extends RegExp {
      constructor(pattern: string, flags?: string) {
        super(pattern, flags)
        made.push(this)
      }
    },
  )
  vi.doMock('#domain/unicode-pattern.ts', () => ({
    unicodePattern: (source: string, flags = 'u') => new RegExp(source, flags),
  }))
  await import(/* @vite-ignore */ resolve(path))
  vi.unstubAllGlobals()
  vi.doUnmock('#domain/unicode-pattern.ts')
  vi.resetModules() // other files share them
  return made
}

/** Whether a text that nearly matches may take more than linear time. */
const isSlow = (expression: RegExp) => analyse(expression).reports.length > 0

const slowOf = (expressions: RegExp[]) => [
  ...new Set(expressions.filter(isSlow).map(String)),
]

it.each([
  [/(a+)+$/, true],
  [/^(?:\w+ ?)+$/, true],
  [/a+b/, true],
  [/^a+b/, false],
])('the analysis tells whether %s is slow: %s', (expression, slow) => {
  expect(isSlow(expression)).toBe(slow)
})

it('no literal of the Worker has a property of Unicode, which every start would look up', () => {
  const inWorker = files.filter((path) => /^src\/(?!openapi|pages)/.test(path))
  const literals = inWorker.flatMap(literalsOf)
  expect(literals.length).toBeGreaterThan(50)
  expect(literals.filter(({ source }) => /\\p\{/i.test(source))).toEqual([])
})

it('every regular expression takes linear time, except those of short texts', async () => {
  const assembling = files.filter(
    (path) =>
      /(?:new RegExp|unicodePattern)\(/.test(readFileSync(path, 'utf8')) &&
      !IN_FUNCTIONS.includes(path),
  )
  const expressions = files.flatMap(literalsOf)
  for (const path of assembling) expressions.push(...(await assembledBy(path)))
  expect(expressions.length).toBeGreaterThan(130)
  expect(slowOf(expressions).toSorted()).toEqual(OF_SHORT_TEXTS.toSorted())
})
