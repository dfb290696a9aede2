import type { Context } from 'hono'
import { keyedHash } from '../security/keyed-hash.ts'
import type { AppEnv } from './app-env.ts'
import { errors } from './errors.ts'

const PERIOD_SECONDS = 60

/**
 * Counts an attempt against the limits of login in wrangler.toml, of its identifier and of the client's
 * address. Both are counted as keyed hashes: they are personal data.
 *
 * @param identifier keyed hash of the identifier
 * @returns keyed hash of the address
 * @throws {ApiError} 429 over a limit
 */
export async function limitLoginRate(c: Context<AppEnv>, identifier: string): Promise<string> {
  const { LOGIN_IDENTIFIER_LIMIT, LOGIN_ADDRESS_LIMIT } = c.env
  const address = keyedHash(c.req.header('CF-Connecting-IP') ?? 'local', c.get('settings'))
  // in this order, so that attempts on one identifier do not use up the address that others share
  await count(LOGIN_IDENTIFIER_LIMIT, identifier)
  await count(LOGIN_ADDRESS_LIMIT, address)
  return address
}

async function count(limit: RateLimit, key: string): Promise<void> {
  const { success } = await limit.limit({ key })
  if (!success) throw errors.tooManyRequests(PERIOD_SECONDS)
}
