import { readFileSync } from 'node:fs'
import { transformWithEsbuild } from 'vite'
import { expect, it } from 'vitest'

/** The oldest browsers that the pages of emailed links must work in. */
const OLDEST = ['safari13', 'chrome80', 'firefox78']

async function built(code: string, name: string, target: string | string[]) {
  const result = await transformWithEsbuild(code, name, {
    target,
    sourcemap: false,
    supported: { destructuring: true },
  })
  return result.code
}

it.each([
  ['page.js', 'a ?? b'],
  ['page.css', 'a { inset: 0 }'],
])(
  '%s has no syntax that the oldest browsers lack, such as %s',
  async (name, younger) => {
    const code = await built(readFileSync(`src/pages/${name}`, 'utf8'), name, 'esnext')
    expect(await built(code, name, OLDEST)).toBe(code)
    const notLowered = await built(younger, name, 'esnext')
    expect(await built(younger, name, OLDEST)).not.toBe(notLowered)
  },
)
