import { expect, it } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'

const BOUND = [
  'secrets',
  'ratelimits',
  'observability',
  'cache',
  'compatibility_date',
  'compatibility_flags',
  'minify',
  'keep_names',
  'build',
  'assets',
  'triggers',
  'version_metadata',
]

// An environment inherits no binding and no variable, so what is changed in one place is easily forgotten in the other.
it('wrangler.toml configures production as it does the tests', () => {
  const local = readConfig({ config: 'wrangler.toml' })
  const production = readConfig({ config: 'wrangler.toml', env: 'production' })
  const bound = (config: Record<string, unknown>) => BOUND.map((name) => [name, config[name]])
  expect(bound(production)).toEqual(bound(local))
  // what an office sets for itself: the values, and whether mails are sent at all
  expect(Object.keys(production.vars)).toEqual(Object.keys(local.vars))
  expect([local.send_email, []]).toContainEqual(production.send_email)
  expect(production.d1_databases).toMatchObject([{ binding: 'DB' }])
})

it('wrangler.toml lets Cloudflare keep no log of its own, which would hold addresses', () => {
  const { observability } = readConfig({ config: 'wrangler.toml', env: 'production' })
  expect(observability).toMatchObject({ redact_query_string: true, logs: { invocation_logs: false } })
})
