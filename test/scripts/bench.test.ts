import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runInProcess } from './in-process.ts'

const isLinux = existsSync('/proc/self/task') // where it reads the CPU of the servers

it.runIf(isLinux)('npm run bench fills the lists and measures', async () => {
  const args = ['scripts/dev/bench.ts', '--only', 'list-50', '--quick']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/'list-50' +│ 1 +│ '\d+\.\d\d \(.+\)'/)
  expect(stdout).toMatch(/'list-50' +│ 32 +│ '\d+\.\d\d \(.+\)'/)
})

it('npm run bench names the comparisons that there are', async () => {
  const { code, stderr } = await runInProcess('bench', ['--only', 'lists'])
  expect(stderr).toMatch(
    /^Cannot measure: no comparison is named lists: list-50, .+\.\n$/,
  )
  expect(code).toBe(1)
})
