import { env } from 'cloudflare:workers'
import { keyedHash } from '#security/hashes.ts'

export const ELSEWHERE = '198.51.100.7'

/** Stores failed logins of one identifier, some minutes ago. */
export const fail = (
  identifier: string,
  address = ELSEWHERE,
  minutesAgo = 0,
  times = 50,
) =>
  env.DB.prepare(
    `insert into failed_logins (id, identifier, address, failed_at)
     with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ?4)
     select hex(randomblob(16)), ?1, ?2, strftime('%Y-%m-%dT%H:%M:%f', 'now', ?3) || '000Z' from counter`,
  )
    .bind(
      keyedHash(env.JWT_SECRET, 'identifier', identifier),
      keyedHash(env.JWT_SECRET, 'network', address),
      `-${minutesAgo} minutes`,
      times,
    )
    .run()

export const failuresOf = (identifier: string) =>
  env.DB.prepare('select count(*) as n from failed_logins where identifier = ?')
    .bind(keyedHash(env.JWT_SECRET, 'identifier', identifier))
    .first('n')
