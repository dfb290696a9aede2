import { expect, it } from 'vitest'
import { npmRun } from '../../scripts/service-process.ts'

it('npm run durability finds every acknowledged write whole after the service was killed', async () => {
  const { code, stdout } = await npmRun('durability', ['--rounds', '2']).ended
  expect(stdout).toMatch(/round 2: \d+ writes asked for, [1-9]\d* acknowledged, killed/)
  expect(stdout).toMatch(/of them lost\W+0\b/)
  expect(code).toBe(0)
}, 120_000)
