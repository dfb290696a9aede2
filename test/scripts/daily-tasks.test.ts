import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { startService, temporaryState } from '../../scripts/lib/service-process.ts'

const PASSWORD = 'Nunciatura2027'
let service: Awaited<ReturnType<typeof startService>> | undefined
const { stateDir, remove } = temporaryState()

afterEach(async () => {
  await service?.kill()
  remove()
})

/** The commands of a section of docs/operating.md. */
function blocksOf(heading: string): string[] {
  const pattern = new RegExp(`\\n## ${heading}\\n([\\s\\S]*?)\\n## `)
  const [, section = ''] = pattern.exec(readFileSync('docs/operating.md', 'utf8')) ?? []
  return Array.from(section.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = '']) => block)
}

/** Runs commands as they are written, one after another, with the address of the service. */
function run(blocks: string[], baseUrl = ''): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail'], {
    input: blocks.join('\necho\n').replace(/B=http.*/, `B=${baseUrl}`),
    env: { ...process.env, PASSWORD, STATE_DIR: stateDir },
    encoding: 'utf8',
  })
  expect([status, stderr], stdout.slice(-2000)).toEqual([0, ''])
  expect(stdout).not.toContain('"success":false')
  return stdout
}

it('the daily tasks of docs/operating.md work as they are written, twice', async () => {
  const blocks = blocksOf('Daily tasks')
  expect(blocks.length).toBeGreaterThan(12)
  service = await startService({ STATE_DIR: stateDir })
  for (let time = 1; time <= 2; time++)
    expect(run(blocks, service.baseUrl).match(/"success":true/g)?.length).toBeGreaterThan(20)
})

it('a year of an office works as docs/operating.md has it, from an empty database', async () => {
  const [create = '', ...blocks] = blocksOf('A year of an office')
  run([create])
  service = await startService({ STATE_DIR: stateDir })
  const responses = run(blocks, service.baseUrl)
    .trim()
    .split(/(?={"success")/)
  const waiting = responses.find(
    (line) => line.includes('"questionnaire_status":"Pendente"') && line.includes('pagination'),
  )
  expect(JSON.parse(waiting ?? '{}').data.map(({ full_name }: { full_name: string }) => full_name)).toEqual([
    'Rui Prado',
  ])
  const audit = JSON.parse(responses.at(-1) ?? '{}')
  expect(new Set(audit.data.map(({ actor_name }: { actor_name: string }) => actor_name))).toEqual(new Set(['Maria']))
  expect(audit.data.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['administrator.deleted', 'process.deleted', 'informer.deleted', 'group.dissociated']),
  )
})
