import { refusals } from './refusals.ts'

const PERIOD_SECONDS = 60

/**
 * Counts an attempt against a limit of wrangler.toml. What it is counted by is hashed first: an email, a CPF
 * or an address is nobody else's to keep.
 *
 * @throws {Refusal} 429 past the limit
 */
export async function countAttempt(limit: RateLimit, by: string): Promise<void> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(by))
  const { success } = await limit.limit({ key: Buffer.from(digest).toString('base64url') })
  if (!success) throw refusals.tooMany(PERIOD_SECONDS)
}
