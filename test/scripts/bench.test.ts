import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runInProcess } from './in-process.ts'

const isLinux = existsSync('/proc/self/task') // where it reads the CPU of the servers

function bench(...options: string[]): string {
  const args = ['scripts/dev/bench.ts', '--quick', ...options]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

it.runIf(isLinux)('npm run bench measures the cover at 1 and 32 connections', () => {
  const stdout = bench('--only', 'cover')
  const ratio = String.raw`'\d+\.\d\d \(.+\)'`
  for (const connections of [1, 32]) {
    const row = `'cover' +│ ${connections} +│ ${Array(3).fill(ratio).join(' +│ ')}`
    expect(stdout).toMatch(new RegExp(row))
  }
})

it('npm run bench -- --latency finds a creation nearer beside the database', () => {
  const row = /POST \/informers +│ (\d+) +│ (\d+)/
  const [, near, beside] = row.exec(bench('--latency')) ?? []
  expect(Number(near)).toBeGreaterThanOrEqual(2 * 115)
  expect(Number(beside)).toBeGreaterThanOrEqual(115)
})

it('npm run bench names the comparisons that there are', async () => {
  const { code, stderr } = await runInProcess('bench', ['--only', 'lists'])
  expect(stderr).toMatch(/^Cannot measure: no comparison is named lists: list, .+\.\n$/)
  expect(code).toBe(1)
})
