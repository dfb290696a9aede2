import { count, eq, or, sql } from 'drizzle-orm'
import { offsetOf, type Page } from '../domain/pagination.ts'
import type { Database } from './client.ts'
import type { Exactly } from './conditions.ts'
import { jsonArray, jsonColumn, jsonObject, subselect } from './json.ts'
import { type Placeholders, prepareQuery } from './prepared.ts'
import { groups, informerGroups, processes, questionnaires } from './schema.ts'
import { readAll } from './transactions.ts'

const groupObject = jsonObject({
  id: groups.id,
  name: groups.name,
  color: groups.color,
  description: groups.description,
  informers: sql<number>`(
    select count(*) from ${informerGroups} where ${informerGroups.group_id} = ${groups.id})`,
  questionnaires: subselect(
    jsonArray(
      jsonObject({ id: questionnaires.id, title: questionnaires.title }),
      questionnaires.title_folded,
    ),
    sql`${questionnaires} where ${questionnaires.group_id} = ${groups.id}`,
  ),
})

export /** Builds the query of processes, for the callers to choose which. */
const selectProcesses = (db: Database) =>
  db
    .select({
      id: processes.id,
      name: processes.name,
      protocol: processes.protocol,
      created_at: processes.created_at,
      updated_at: processes.updated_at,
      groups: jsonColumn(
        'groups',
        jsonArray(groupObject, groups.name_folded),
        sql`${groups} where ${groups.process_id} = ${processes.id}`,
      ),
    })
    .from(processes)

/**
 * A process with its groups and questionnaires, by name, and the number of informers of each group.
 */
export type ProcessWithGroups = Awaited<ReturnType<typeof selectProcesses>>[number]

/** The query of one process. */
export const selectProcess = prepareQuery((db, { id }: Placeholders<{ id: string }>) =>
  selectProcesses(db).where(eq(processes.id, id)),
)

/** A process, or null. One round trip. */
export async function getProcess(
  db: Database,
  id: string,
): Promise<ProcessWithGroups | null> {
  return (await selectProcess(db, { id }).get()) ?? null
}

type ProcessFilter = {
  /** Folded; '' matches all. */
  search: string
}

/** One page of processes, by protocol, and the total. One round trip. */
export async function listProcesses<Filter extends ProcessFilter>(
  db: Database,
  filter: Exactly<ProcessFilter, Filter>,
  page: Page,
) {
  const { search }: ProcessFilter = filter
  const isFound = or(
    sql`instr(${processes.name_folded}, ${search})`,
    sql`instr(${processes.protocol_folded}, ${search})`,
  )
  const where = search ? isFound : undefined
  const { rows, counted } = await readAll(db, {
    rows: selectProcesses(db)
      .where(where)
      .orderBy(processes.protocol_folded)
      .limit(page.perPage)
      .offset(offsetOf(page)),
    counted: db.select({ total: count() }).from(processes).where(where),
  })
  return { rows, total: counted[0]?.total ?? 0 }
}
