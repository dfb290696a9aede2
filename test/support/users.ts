import { env } from 'cloudflare:workers'

/** The row of a user. */
export const storedUser = (id: string) =>
  env.DB.prepare('select * from users where id = ?')
    .bind(id)
    .first<Record<string, string | number | null>>()

/** Gives a user a CPF that nobody else has, without its check digits. */
export async function giveCpf(id: string): Promise<string> {
  const cpf = String(crypto.getRandomValues(new Uint32Array(1))[0]).padStart(11, '0')
  await env.DB.prepare('update users set cpf = ? where id = ?').bind(cpf, id).run()
  return cpf
}

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
