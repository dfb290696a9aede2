import { networkHashes } from './client-network.ts'
import type { LoginAttempt } from '#database/accounts/login-users.ts'
import type { AppContext } from '#http/app-env.ts'
import { errors } from '#http/response/errors.ts'
import { describeError, log } from '#log.ts'

// How many attempts each limit allows in a minute stands in wrangler.toml, under [[ratelimits]].
const PERIOD_SECONDS = 60

/**
 * Limits attempts per identifier with client address, and per client address. All keys are hashes:
 * they are personal data.
 * @param scope has its own counters
 * @throws {ApiError} 429 over a limit
 */
export async function limitLoginRate(
  c: AppContext,
  scope: string,
  { identifiers: [identifier], addresses: [address] }: LoginAttempt,
): Promise<void> {
  // in this order, so that attempts on one identifier do not exhaust a shared network's limit
  await enforce(c, c.env.LOGIN_IDENTIFIER_LIMIT, `${scope} ${identifier} ${address}`)
  await enforce(c, c.env.LOGIN_NETWORK_LIMIT, `${scope} ${address}`)
}

/** Limits attempts with tokens of emailed links per route and client address. */
export function limitTokenRate(c: AppContext): Promise<void> {
  const [address] = networkHashes(c.get('settings'), c.req)
  return enforce(c, c.env.TOKEN_NETWORK_LIMIT, `${c.req.path} ${address}`)
}

/** Limits imports from the configured repository per caller: each sends up to 950 requests. */
export const limitImportRate = (c: AppContext, callerId: string): Promise<void> =>
  enforce(c, c.env.GIT_IMPORT_LIMIT, `changelogs/sync-from-git ${callerId}`)

/** @throws {ApiError} 429 over the limit, 503 if it cannot be asked */
async function enforce(c: AppContext, limit: RateLimit, key: string): Promise<void> {
  if (!(await isWithinLimit(c, limit, key))) throw errors.tooManyRequests(PERIOD_SECONDS)
}

async function isWithinLimit(
  c: AppContext,
  limit: RateLimit,
  key: string,
): Promise<boolean> {
  try {
    const { success } = await limit.limit({ key })
    return success
  } catch (error) {
    const request_id = c.get('requestId')
    log('error', { event: 'rate limit not asked', request_id, ...describeError(error) })
    throw errors.serviceUnavailable()
  }
}
