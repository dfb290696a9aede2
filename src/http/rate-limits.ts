import { refusals } from './refusals.ts'

const PERIOD_SECONDS = 60

/**
 * Counts an attempt against a limit of wrangler.toml.
 *
 * @param key whom it is counted by, as a pseudonym: an email, a CPF or an address is nobody else's to keep
 * @throws {Refusal} 429 past the limit
 */
export async function countAttempt(limit: RateLimit, key: string): Promise<void> {
  const { success } = await limit.limit({ key })
  if (!success) throw refusals.tooMany(PERIOD_SECONDS)
}
