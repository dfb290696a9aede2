import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { LoginAttempt } from '../database/logins.ts'
import type { AppEnv } from './app-env.ts'
import { networkHash, siteHash } from './client-network.ts'
import { errors } from './errors.ts'

const PERIOD_SECONDS = 60

/**
 * Limits attempts per identifier and client address together, per client address, and per site (wrangler.toml). All
 * keys are hashes: they are personal data.
 * @param scope has its own counters
 * @throws {ApiError} 429 over a limit
 */
export async function limitLoginRate(
  c: Context,
  scope: string,
  { identifier, address }: LoginAttempt,
): Promise<void> {
  // in this order, so that attempts on one identifier do not exhaust a shared network
  await enforce(c.env.LOGIN_IDENTIFIER_LIMIT, `${scope} ${identifier} ${address}`)
  await enforce(c.env.LOGIN_NETWORK_LIMIT, `${scope} ${address}`)
  const site = siteHash(c.get('settings'), c.req)
  if (site) await enforce(c.env.LOGIN_SITE_LIMIT, `${scope} ${site}`)
}

/** Limits attempts with tokens of emailed links per route and client address. */
export const limitTokenRate = createMiddleware<AppEnv>(async (c, next) => {
  await enforce(c.env.TOKEN_NETWORK_LIMIT, `${c.req.path} ${networkHash(c.get('settings'), c.req)}`)
  await next()
})

/** Limits imports from the configured repository per caller: each sends up to 950 requests with `GIT_TOKEN`. */
export const limitImportRate = (c: Pick<Context<AppEnv>, 'env'>, callerId: string) =>
  enforce(c.env.GIT_IMPORT_LIMIT, `changelogs/sync-from-git ${callerId}`)

async function enforce(limit: RateLimit, key: string): Promise<void> {
  const { success } = await limit.limit({ key })
  if (!success) throw errors.tooManyRequests(PERIOD_SECONDS)
}
