import { env } from 'cloudflare:workers'
import { type Call, callJson, PASSWORD, UNLIMITED } from './helper.ts'
import { keyedHash } from '#security/hashes.ts'

export const HOME = '203.0.113.9'
export const ELSEWHERE = '198.51.100.7'

export const WRONG_PASSWORD = 'Errada2026'

/** The body of a 429. */
export const TOO_MANY = {
  success: false,
  message: 'Muitas tentativas. Tente novamente em instantes.',
}

/** A request from an address, without the limits per minute. */
export const callFrom = (address: string, path: string, options: Call) =>
  callJson(path, {
    ...options,
    headers: { 'CF-Connecting-IP': address },
    env: {
      LOGIN_IDENTIFIER_LIMIT: UNLIMITED,
      LOGIN_NETWORK_LIMIT: UNLIMITED,
      ...options.env,
    },
  })

/** A login from an address, by default with the right password. */
export const logInFrom = (address: string, body: object, bindings: Call['env'] = {}) =>
  callFrom(address, '/auth/login', {
    body: { password: PASSWORD, ...body },
    env: bindings,
  })

/** Stores failed logins of one identifier, some minutes ago. */
export const fail = (
  identifier: string,
  address = ELSEWHERE,
  minutesAgo = 0,
  times = 50,
  secret: string = env.JWT_SECRET,
) =>
  env.DB.prepare(
    `insert into failed_logins (id, identifier, address, failed_at)
     with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ?4)
     select hex(randomblob(16)), ?1, ?2, strftime('%Y-%m-%dT%H:%M:%f', 'now', ?3) || '000Z' from counter`,
  )
    .bind(
      keyedHash(secret, 'identifier', identifier),
      keyedHash(secret, 'network', address),
      `-${minutesAgo} minutes`,
      times,
    )
    .run()

export const failuresOf = (identifier: string) =>
  env.DB.prepare('select count(*) as n from failed_logins where identifier = ?')
    .bind(keyedHash(env.JWT_SECRET, 'identifier', identifier))
    .first('n')
