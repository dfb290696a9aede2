import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as guides from '../../scripts/lib/guides.ts'

it.each(Object.values(guides))('messages refer to a page that exists: %s', (page) => {
  expect(existsSync(page)).toBe(true)
})
