import { questionnaireStatus } from '../domain/completion.ts'
import type { Database } from './client.ts'
import { readUser, toPerson, type UserRow } from './users.ts'

/** An informer in responses. */
export type Informer = ReturnType<typeof toInformer>

export function toInformer(row: UserRow) {
  const processes_groups = row.memberships.map(({ process, group, ...counts }) => ({
    process,
    group,
    ...questionnaireStatus(counts),
  }))
  return {
    ...toPerson(row),
    category: row.category,
    treatment_pronoun: row.treatment_pronoun,
    diocese: row.diocese,
    process: processes_groups[0]?.process ?? null,
    group: processes_groups[0]?.group ?? null,
    processes_groups,
  }
}

/** One informer, or null. One round trip. */
export async function readInformer(db: Database, id: string): Promise<Informer | null> {
  const row = await readUser(db, 'informer', id)
  return row && toInformer(row)
}
