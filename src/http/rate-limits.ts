import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { LoginAttempt } from '../database/logins.ts'
import { keyedHash } from '../security/hashes.ts'
import type { AppEnv } from './app-env.ts'
import { clientNetwork, clientSite } from './client-network.ts'
import { errors } from './errors.ts'

const PERIOD_SECONDS = 60

/** Each scope has its own counters. */
type Scope = 'login' | 'email/resend' | 'email/verify' | 'password/forgot' | 'password/reset'

/**
 * Limits attempts per identifier and client address together, per client address, and per site (wrangler.toml). All
 * keys are hashes: they are personal data.
 *
 * @throws {ApiError} 429 over a limit
 */
export async function limitLoginRate(
  c: Pick<Context<AppEnv>, 'env' | 'req' | 'get'>,
  scope: Scope,
  { identifier, address }: LoginAttempt,
): Promise<void> {
  // in this order, so that attempts on one identifier do not exhaust a shared network
  await enforce(c.env.LOGIN_IDENTIFIER_LIMIT, `${scope} ${identifier} ${address}`)
  await enforce(c.env.LOGIN_NETWORK_LIMIT, `${scope} ${address}`)
  const site = clientSite(c.req)
  if (site !== null)
    await enforce(c.env.LOGIN_SITE_LIMIT, `${scope} ${await keyedHash(c.get('settings'), 'site', site)}`)
}

/** Limits attempts with tokens of emailed links per client address. */
export const limitEmailTokenRate = (scope: Scope) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const address = await keyedHash(c.get('settings'), 'network', clientNetwork(c.req))
    await enforce(c.env.TOKEN_NETWORK_LIMIT, `${scope} ${address}`)
    await next()
  })

/** Limits imports from the configured repository per caller: each sends up to 950 requests with `GIT_TOKEN`. */
export const limitImportRate = (c: Pick<Context<AppEnv>, 'env'>, callerId: string) =>
  enforce(c.env.GIT_IMPORT_LIMIT, `changelogs/sync-from-git ${callerId}`)

async function enforce(limit: RateLimit, key: string): Promise<void> {
  const { success } = await limit.limit({ key })
  if (!success) throw errors.tooManyRequests(PERIOD_SECONDS)
}
