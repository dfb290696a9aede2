import type { Context } from 'hono'
import { pseudonym } from '../security/pseudonyms.ts'
import type { AppEnv } from './app-env.ts'
import { refusals } from './refusals.ts'

const PERIOD_SECONDS = 60

/**
 * Counts an attempt against the limits of login in wrangler.toml, of its identifier and of the client's
 * address, both by pseudonym: they are nobody else's to keep.
 *
 * @param key the pseudonym of the identifier
 * @throws {Refusal} 429 past a limit
 */
export async function countLoginAttempt(c: Context<AppEnv>, key: string): Promise<void> {
  const { LOGIN_IDENTIFIER_LIMIT, LOGIN_ADDRESS_LIMIT } = c.env
  const address = pseudonym(c.req.header('CF-Connecting-IP') ?? 'local', c.get('settings'))
  // in this order, lest attempts on one identifier use up the address that others share
  await count(LOGIN_IDENTIFIER_LIMIT, key)
  await count(LOGIN_ADDRESS_LIMIT, address)
}

async function count(limit: RateLimit, key: string): Promise<void> {
  const { success } = await limit.limit({ key })
  if (!success) throw refusals.tooMany(PERIOD_SECONDS)
}
