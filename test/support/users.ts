import { env } from 'cloudflare:workers'

/** The row of a user. */
export const storedUser = (id: string) =>
  env.DB.prepare('select * from users where id = ?')
    .bind(id)
    .first<Record<string, string | number | null>>()

/** A condition: a record is of a write, not of who was shown an informer. */
export const IS_OF_WRITE = "action not in ('informer.read', 'informer.listed')"

/** The audited writes of a user, in order; those of one actor, or of all. */
export async function auditedActions(
  id: string,
  actor: string | null = null,
): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `select action from audit_events
     where subject_id = ?1 and actor_id = coalesce(?2, actor_id) and ${IS_OF_WRITE}
     order by rowid`,
  )
    .bind(id, actor)
    .all<{ action: string }>()
  return results.map(({ action }) => action)
}
