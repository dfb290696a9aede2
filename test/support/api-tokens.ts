import { env } from 'cloudflare:workers'
import { newUser } from './helper.ts'
import { type Scope, toApiToken } from '#domain/api-tokens.ts'
import { digest, randomToken } from '#security/hashes.ts'

/** A day from today, `YYYY-MM-DD` in UTC. */
export const dayIn = (days: number) =>
  new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)

/** An API token with some scopes, by default of a new administrator without a second factor. */
export async function newApiToken(
  scopes: Scope[],
  {
    maker,
    expires_on = dayIn(1),
    last_used_on = null,
  }: { maker?: string; expires_on?: string; last_used_on?: string | null } = {},
) {
  const id = crypto.randomUUID() as string
  const token = toApiToken(randomToken())
  const created_by = maker ?? (await newUser('administrator')).id
  await env.DB.prepare(
    `insert into api_tokens (id, token_hash, name, scopes, created_by, expires_on, last_used_on)
     values (?, ?, 'Programa', ?, ?, ?, ?)`,
  )
    .bind(
      id,
      await digest(token),
      JSON.stringify(scopes),
      created_by,
      expires_on,
      last_used_on,
    )
    .run()
  return { id, token, maker: created_by }
}
