import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { runInProcess } from './in-process.ts'

const ours = Object.entries(packageJson.scripts).flatMap(([name, command]) => {
  const [, script] = /\bnode scripts\/(\S+)\.ts/.exec(command) ?? []
  return script ? [{ name, script }] : []
})

it.each(ours)('npm run $name only prints its usage for --help', async ({ script }) => {
  const usage = { code: 0, stdout: expect.stringMatching(/^Usage: /), stderr: '' }
  expect(await runInProcess(script, ['--help'])).toEqual(usage)
})

it('a command rejects an option that it does not know', () => {
  const args = ['scripts/changelog-file.ts', '--no-such-option']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stderr).toMatch(/^Unknown option '--no-such-option'.*\nUsage: /)
  expect([status, stdout]).toEqual([1, ''])
})
