import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { npmRun } from '../../scripts/lib/service-process.ts'

const ours = Object.entries(packageJson.scripts).filter(([, command]) => /\bnode scripts\//.test(command))

it.each(ours)('npm run %s only prints its usage for --help', async (name) => {
  const { code, stdout, stderr } = await npmRun(name, ['--help']).ended
  expect(stdout).toMatch(/^Usage: /)
  expect([code, stderr]).toEqual([0, ''])
})

it('a command rejects an option that it does not know', async () => {
  const { code, stdout, stderr } = await npmRun('changelog', ['--no-such-option']).ended
  expect(stderr).toMatch(/^Unknown option '--no-such-option'.*\nUsage: /)
  expect([code, stdout]).toEqual([1, ''])
})
