import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as guides from '../../scripts/lib/guides.ts'

it.each(Object.values(guides))(
  'messages refer to a section that is there: %s',
  (guide) => {
    const [, file = '', heading] = /^(docs\/\S+), "(.+)"$/.exec(guide) ?? []
    expect(readFileSync(file, 'utf8')).toContain(`\n## ${heading}\n`)
  },
)
