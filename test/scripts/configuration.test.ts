import { expect, it } from 'vitest'
import { readConfiguration } from '../../scripts/lib/configuration.ts'

it('wrangler.toml lets Cloudflare keep no log of its own, which would hold addresses', () => {
  const { observability } = readConfiguration()
  expect(observability).toMatchObject({
    redact_query_string: true,
    logs: { invocation_logs: false },
  })
})
