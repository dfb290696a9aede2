import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { fencedBlocksOf } from './documents.ts'

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
