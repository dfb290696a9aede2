import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { fencedBlocksOf } from './documents.ts'

const LINK = /\]\((?!https?:)(?<path>[^)#]*)(?:#(?<anchor>[^)]+))?\)/g
const textOf = (file: string) => readFileSync(file, 'utf8')

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(document: string): string[] {
  const headings = textOf(document).matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it.each(globSync('{*,docs/*}.md'))('%s links to what exists', (document) => {
  for (const [link, path, anchor] of textOf(document).matchAll(LINK)) {
    const target = path ? join(dirname(document), path) : document
    expect(existsSync(target), link).toBe(true)
    if (anchor) expect(anchorsOf(target), link).toContain(anchor)
  }
})

it('the pages that code, workflows and settings name exist, and their headings', () => {
  const files = globSync(['{src,scripts}/**/*.ts', '.github/**/*.yml', 'wrangler.toml'])
  const named = files.flatMap(
    (file) => textOf(file).match(/\bdocs\/[\w.-]+\.md\b(#[a-z-]+)?/g) ?? [],
  )
  expect(named.some((name) => name.includes('#'))).toBe(true)
  for (const name of named) {
    const [page = '', anchor] = name.split('#')
    expect(existsSync(page), name).toBe(true)
    if (anchor) expect(anchorsOf(page), name).toContain(anchor)
  }
})

const FILE = /`(?<path>(?:src|test|docs|\.ci)\/[\w./-]+)`/g

it.each(['docs/asvs.md', 'docs/rules.md'])('%s names files that exist', (document) => {
  const names = [...textOf(document).matchAll(FILE)]
  const paths = names.map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})

const COMMENT = /^.*(?<!\S)#.*$/gm

it.each(globSync('{*,docs/*}.md'))(
  'no shell block of %s has a comment, which an interactive zsh takes for arguments',
  (document) => {
    const blocks = fencedBlocksOf(document).filter(({ language }) =>
      ['sh', 'bash'].includes(language),
    )
    expect(blocks.flatMap(({ text }) => text.match(COMMENT) ?? [])).toEqual([])
  },
)
