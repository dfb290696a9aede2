import { sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { processes } from './schema.ts'

/** Builds the query of the searchable fields of all processes, by protocol. */
export function selectProcessNames(db: Database) {
  return db
    .select({ id: processes.id, name: processes.name, protocol: processes.protocol })
    .from(processes)
    .orderBy(processes.protocol)
}

type Group = {
  id: string
  name: string
  color: string
  description: string
  informers: number
  questionnaires: { id: string; title: string }[]
}

/** Some processes, by protocol, with their groups and the informers of each group counted. One round trip. */
export function readProcesses(db: Database, ids: string[]) {
  return db
    .select({
      id: processes.id,
      name: processes.name,
      protocol: processes.protocol,
      created_at: processes.created_at,
      updated_at: processes.updated_at,
      groups: sql<Group[]>`(
        select json_group_array(json_object(
          'id', groups.id, 'name', groups.name, 'color', groups.color, 'description', groups.description,
          'informers', (select count(*) from informer_groups where group_id = groups.id),
          'questionnaires', (
            select json_group_array(json_object('id', id, 'title', title) order by title)
            from questionnaires where group_id = groups.id)
        ) order by groups.name)
        from groups where groups.process_id = processes.id)`.mapWith(JSON.parse),
    })
    .from(processes)
    .where(sql`${processes.id} in (select value from json_each(${JSON.stringify(ids)}))`)
    .orderBy(processes.protocol)
}
