import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort, startService, temporaryState } from '../../scripts/lib/service-process.ts'

const [, section = ''] = /\n## Daily tasks\n([\s\S]*?)\n## /.exec(readFileSync('docs/operating.md', 'utf8')) ?? []
const blocks = Array.from(section.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = '']) => block)

const { stateDir, remove } = temporaryState()
let service: Awaited<ReturnType<typeof startService>>

beforeAll(async () => {
  service = await startService({ PORT: String(await freePort()), STATE_DIR: stateDir })
})
afterAll(async () => {
  await service.kill()
  remove()
})

it('the daily tasks of docs/operating.md work as they are written, one after another', () => {
  expect(blocks.length).toBeGreaterThan(12)
  // every call ends in a line of its own, and the first that fails ends the run
  const script = blocks.map((block, at) => `echo "== block ${at}"\n${block}\necho`).join('\n')
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail'], {
    input: script.replace(/B=http.*/, `B=${service.baseUrl}`),
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status, stdout.slice(-2000)).toBe(0)
  expect(stdout.match(/"success":true/g)?.length).toBeGreaterThan(20)
  expect(stdout).not.toContain('"success":false')
})
