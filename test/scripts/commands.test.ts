import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { npmRun } from '../../scripts/lib/service-process.ts'

const ours = Object.entries(packageJson.scripts).filter(([, command]) => /\bnode scripts\//.test(command))

describe.each(ours)('npm run %s', (name) => {
  it('does nothing for --help but print its usage', async () => {
    const { code, stdout, stderr } = await npmRun(name, ['--help']).ended
    expect(stdout).toMatch(/^Usage: /)
    expect([code, stderr]).toEqual([0, ''])
  })

  it('rejects an option that it does not know', async () => {
    const { code, stdout, stderr } = await npmRun(name, ['--no-such-option']).ended
    expect(stderr).toMatch(/^(Cannot .+: )?Unknown option '--no-such-option'.*\nUsage: /)
    expect([code, stdout]).toEqual([1, ''])
  })
})
