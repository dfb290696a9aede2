import { count, sql } from 'drizzle-orm'
import { offsetOf, type Page } from '../domain/pagination.ts'
import { batch, type Database } from './client.ts'
import { groups, processes, questionnaires } from './schema.ts'

type Group = {
  id: string
  name: string
  color: string
  description: string
  informers: number
  questionnaires: { id: string; title: string }[]
}

/** A process with its groups and questionnaires, by name, and the number of informers of each group. */
export type Process = Awaited<ReturnType<typeof selectProcesses>>[number]

const selectProcesses = (db: Database) =>
  db
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
            select json_group_array(json_object('id', id, 'title', title) order by coalesce(title_folded, title))
            from questionnaires where group_id = groups.id)
        ) order by coalesce(groups.name_folded, groups.name))
        from groups where groups.process_id = processes.id)`
        .mapWith((text: string): Group[] => JSON.parse(text))
        .as('groups'),
    })
    .from(processes)

/** One page of processes, by protocol, and the total. `search` is a folded literal, '' matches all. One round trip. */
export async function listProcesses(db: Database, search: string, page: Page) {
  const has = (column: string) =>
    sql`instr(coalesce(${sql.raw(`${column}_folded, lower(${column})`)}), ${search})`
  const isFound = search ? sql`(${has('name')} or ${has('protocol')})` : undefined
  const { rows, counted } = await batch(db, {
    rows: selectProcesses(db)
      .where(isFound)
      .orderBy(processes.protocol)
      .limit(page.perPage)
      .offset(offsetOf(page)),
    counted: db.select({ total: count() }).from(processes).where(isFound),
  })
  return { rows, total: counted[0]?.total ?? 0 }
}

/** A process, or a part of one. */
export type Part = keyof typeof TABLES

export const TABLES = { process: processes, group: groups, questionnaire: questionnaires }

/** Finds the process of a part by its id. */
const PROCESS_ID = {
  process: (id: string) => sql`${id}`,
  group: (id: string) => sql`(select process_id from groups where id = ${id})`,
  questionnaire: (id: string) => sql`(
    select process_id from groups where id = (select group_id from questionnaires where id = ${id}))`,
}

/** Builds the query of the process that is or has a part, for a batch. */
export const selectProcess = (db: Database, part: Part, id: string) =>
  selectProcesses(db).where(sql`${processes.id} = ${PROCESS_ID[part](id)}`)

/** The process that is or has a part, or null. One round trip. */
export async function readProcess(db: Database, part: Part, id: string): Promise<Process | null> {
  const [process] = await selectProcess(db, part, id)
  return process ?? null
}
