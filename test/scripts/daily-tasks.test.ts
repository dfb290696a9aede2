import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService, temporaryState } from '../../scripts/lib/service-process.ts'

const [, section = ''] =
  /\n## Daily tasks\n([\s\S]*?)\n## /.exec(readFileSync('docs/operating.md', 'utf8')) ?? []
const blocks = Array.from(section.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = '']) => block)

const { stateDir, remove } = temporaryState()
let service: Awaited<ReturnType<typeof startService>>

beforeAll(async () => {
  service = await startService({ STATE_DIR: stateDir })
})
afterAll(async () => {
  await service.kill()
  remove()
})

it('the daily tasks of docs/operating.md work as they are written, one after another', () => {
  expect(blocks.length).toBeGreaterThan(12)
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail'], {
    input: blocks.join('\necho\n').replace(/B=http.*/, `B=${service.baseUrl}`),
    encoding: 'utf8',
  })
  expect([status, stderr], stdout.slice(-2000)).toEqual([0, ''])
  expect(stdout.match(/"success":true/g)?.length).toBeGreaterThan(20)
  expect(stdout).not.toContain('"success":false')
})
