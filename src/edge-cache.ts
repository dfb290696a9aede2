import { log } from './log.ts'
import { listRecentSubjectTypes } from '#database/audit-events.ts'
import type { Database } from '#database/client.ts'
import { cacheTags } from '#routes/public-paths.ts'

// Cloudflare's edge keeps public responses for an hour (http/response/cacheable.ts), because no
// request purges it: the trigger of every minute does, by what was recorded.

/**
 * Repeats a purge in each of this many minutes, to make up for runs that failed, and for responses
 * that were read before a change and stored after a purge.
 */
const PURGING_MINUTES = 10

/**
 * Purges the lists that the API has changed in the last minutes from the cache in front of the
 * Worker; all of it behind a deployment, which may show them differently.
 * @param cache absent locally
 */
export async function purgeChanges(
  db: Database,
  { VERSION }: Env,
  cache: CacheContext | undefined,
): Promise<void> {
  if (!cache) return

  const ageMs = Date.now() - Date.parse(VERSION.timestamp)
  const purged =
    ageMs < PURGING_MINUTES * 60_000
      ? { purgeEverything: true }
      : { tags: await listChangedTags(db) }
  if (purged.tags?.length === 0) return

  const { success, errors } = await cache.purge(purged)
  if (!success) {
    log('error', { event: 'cache not purged', codes: errors.map(({ code }) => code) })
  }
}

async function listChangedTags(db: Database): Promise<string[]> {
  const types = await listRecentSubjectTypes(db, PURGING_MINUTES)
  return types.flatMap((type) => cacheTags.get(type) ?? [])
}
