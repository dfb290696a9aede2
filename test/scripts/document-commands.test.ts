import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { settingsSchema } from '#settings.ts'

const documents = globSync(['*.md', 'docs/*.md'])
const textOf = (file: string) => readFileSync(file, 'utf8')

it.each(documents)('a shell can read the commands of %s', (document) => {
  const blocks = textOf(document).matchAll(/^ *```(?:sh|bash)\n([\s\S]*?)```/gm)
  const input = [...blocks].map(([, commands]) => commands).join('\n')
  const { status, stderr } = spawnSync('bash', ['-n'], { input, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
})

it.each(documents)('package.json has what %s runs with npm', (document) => {
  const commands = textOf(document).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)
  const unknown = [...commands].filter(([, name = '']) => !(name in packageJson.scripts))
  expect(unknown.map(([command]) => command)).toEqual([])
})

it('the documents that commands and settings name exist', () => {
  const files = globSync(['{src,scripts}/**/*.ts', '.github/**/*.yml', 'wrangler.toml'])
  const named = files.flatMap(
    (file) => textOf(file).match(/\bdocs\/[\w.-]+\.md\b/g) ?? [],
  )
  expect(named).not.toEqual([])
  expect(named.filter((document) => !existsSync(document))).toEqual([])
})

it('docs/settings.md describes every setting, and no other', () => {
  const rows = textOf('docs/settings.md').matchAll(/^\| `([A-Z_]+)`/gm)
  const described = [...rows].map(([, name]) => name)
  expect(described.toSorted()).toEqual(Object.keys(settingsSchema.shape).toSorted())
})

it('README has at most 8 KB', () => {
  expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(8192)
})
