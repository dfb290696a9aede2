import { expect, it, onTestFinished } from 'vitest'
import { serveDemo } from './demo-service.ts'
import { expectOutput, run, SHELLS } from './documents.ts'

it.each(SHELLS)('README says what its commands print, in %s', async (shell) => {
  const service = await serveDemo()
  onTestFinished(service.stop)

  const blocks = await run('README.md', { ...service, shell })
  expect(blocks.some(({ output }) => output)).toBe(true)
  for (const block of blocks) expectOutput(block)
})
