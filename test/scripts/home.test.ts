import { spawnSync } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { startService, temporaryState } from '../../scripts/dev/service-process.ts'

/** As in a shell of a user whose home cannot be written, such as that of a container. */
const env = {
  HOME: '/dev/null',
  XDG_CONFIG_HOME: '',
  WRANGLER_LOG: 'log',
  WRANGLER_WRITE_LOGS: 'true',
}

it('npm start works where HOME cannot be written', async () => {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  const service = await startService({ ...env, STATE_DIR: stateDir })
  const { status } = await fetch(`${service.baseUrl}/health`)
  const { stderr } = await service.terminate()
  expect([status, stderr]).toEqual([200, ''])
})

it.each([
  ['bundle', 'KiB gzip'],
  ['wrangler -- d1 migrations list DB --local --persist-to', '0000_initial.sql'],
  ['admin -- create --email a@example.org --first-name A', 'may log in'],
])('npm run %s works where HOME cannot be written', (script, output) => {
  const { stateDir, remove } = temporaryState()
  onTestFinished(remove)
  const folder = script.endsWith('--persist-to') ? [stateDir] : []
  const args = ['run', '--silent', ...script.split(' '), ...folder]
  const { status, stdout, stderr } = spawnSync('npm', args, {
    encoding: 'utf8',
    env: { ...process.env, ...env, STATE_DIR: stateDir },
    input: 'Girassol77\n',
  })
  expect(stdout).toContain(output)
  expect([status, stderr]).toEqual([0, ''])
})
