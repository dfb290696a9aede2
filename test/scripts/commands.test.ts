import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const ours = Object.entries(packageJson.scripts).flatMap(([name, command]) => {
  const [, file] = /\bnode (scripts\/\S+)/.exec(command) ?? []
  return file ? [{ name, file }] : []
})

const run = (file: string, option: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, option], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

it.each(ours)('npm run $name only prints its usage for --help', ({ file }) => {
  expect(run(file, '--help')).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: /), stderr: '' })
})

it('a command rejects an option that it does not know', () => {
  expect(run('scripts/changelog-file.ts', '--no-such-option')).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Unknown option '--no-such-option'.*\nUsage: /),
  })
})
