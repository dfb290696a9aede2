import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { LoginAttempt } from '../database/logins.ts'
import { identifierHash, keyedHash } from '../security/hashes.ts'
import type { AppEnv } from './app-env.ts'
import { clientNetwork } from './client-network.ts'
import { errors } from './errors.ts'

const PERIOD_SECONDS = 60

/** The part of a context that rate limits need, for any route. */
type Counted = Pick<Context<AppEnv>, 'env' | 'req' | 'get'>

/** Each scope has its own counters. */
type Scope = 'login' | 'email/resend' | 'email/verify' | 'password/forgot' | 'password/reset'

/**
 * Limits attempts per identifier and per client network (wrangler.toml). Both keys are hashed: they are personal
 * data.
 *
 * @throws {ApiError} 429 over a limit
 */
export async function limitLoginRate(c: Counted, scope: Scope, identifier: string): Promise<LoginAttempt> {
  const attempt = {
    identifier: await identifierHash(c.get('settings'), identifier),
    network: await networkHash(c),
  }
  // in this order, so that attempts on one identifier do not exhaust a shared network
  await count(c.env.LOGIN_IDENTIFIER_LIMIT, scope, attempt.identifier)
  await count(c.env.LOGIN_NETWORK_LIMIT, scope, attempt.network)
  return attempt
}

/** Limits attempts with tokens of emailed links per client network. */
export const limitEmailTokenRate = (scope: Scope) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await count(c.env.TOKEN_NETWORK_LIMIT, scope, await networkHash(c))
    await next()
  })

const networkHash = (c: Counted) => keyedHash(c.get('settings'), 'network', clientNetwork(c.req))

async function count(limit: RateLimit, scope: Scope, hash: string): Promise<void> {
  const { success } = await limit.limit({ key: `${scope} ${hash}` })
  if (!success) throw errors.tooManyRequests(PERIOD_SECONDS)
}
