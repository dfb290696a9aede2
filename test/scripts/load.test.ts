import { expect, it } from 'vitest'
import { npmRun } from '../../scripts/service-process.ts'

it('npm run load counts the answers of each status, and finds none of a fault', async () => {
  // too short to tell whether memory stays flat, so its exit code is not looked at
  const { stdout } = await npmRun('load', ['--seconds', '4']).ended
  for (const status of [200, 201, 401, 422])
    expect(stdout).toMatch(new RegExp(`answers ${status}\\W+[1-9]\\d*\\b`))
  expect(stdout).toMatch(/without an answer\W+0\b/)
  expect(stdout).not.toMatch(/answers 5/)
})
