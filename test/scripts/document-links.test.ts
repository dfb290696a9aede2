import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const LINK = /\]\((?!https?:)(?<path>[^)#]*)(?:#(?<anchor>[^)]+))?\)/g

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(document: string): string[] {
  const headings = readFileSync(document, 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it.each(globSync('{*,docs/*}.md'))('%s links to what exists', (document) => {
  for (const [link, path, anchor] of readFileSync(document, 'utf8').matchAll(LINK)) {
    const target = path ? join(dirname(document), path) : document
    expect(existsSync(target), link).toBe(true)
    if (anchor) expect(anchorsOf(target), link).toContain(anchor)
  }
})

it.each(globSync('{*,docs/*}.md'))('%s begins with its title', (document) => {
  expect(readFileSync(document, 'utf8')).toMatch(/^# .+\n\n\S/)
})

const FILE = /`(?<path>(?:src|test|docs|\.ci)\/[\w./-]+)`/g

it.each(['docs/asvs.md'])('%s names files that exist', (document) => {
  const names = [...readFileSync(document, 'utf8').matchAll(FILE)]
  const paths = names.map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})
