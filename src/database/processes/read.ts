import { count, eq, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '#database/actor.ts'
import type { Database } from '#database/client.ts'
import { statusConditions } from '#database/completion.ts'
import {
  groups,
  informerCompletions,
  informerGroups,
  processes,
  questionnaires,
} from '#database/schema/processes.ts'
import { type Exactly, holdsWords } from '#database/sql/conditions.ts'
import {
  jsonArray,
  jsonColumn,
  jsonMerge,
  jsonObject,
  subselect,
} from '#database/sql/json.ts'
import { readPage } from '#database/sql/pages.ts'
import { readRow } from '#database/transactions.ts'
import { offsetOf, type Page } from '#domain/pagination.ts'

const groupMembers = {
  id: groups.id,
  name: groups.name,
  color: groups.color,
  description: groups.description,
  questionnaires: subselect(
    jsonArray(
      jsonObject({ id: questionnaires.id, title: questionnaires.title }),
      questionnaires.title_folded,
    ),
    sql`${questionnaires} where ${questionnaires.group_id} = ${groups.id}`,
  ),
}

const listedGroup = jsonObject({
  ...groupMembers,
  informers: sql<number>`(
    select count(*) from ${informerGroups} where ${informerGroups.group_id} = ${groups.id})`,
})

const countWhere = (condition: SQL) => sql<number>`count(*) filter (where ${condition})`

const statuses = statusConditions(sql`completed`, sql`available`)

/** The progress of a group's informers. One pass over its pairs, in the order of their index. */
const progress = subselect(
  jsonObject({
    informers: sql<number>`count(*)`,
    pending: countWhere(statuses.Pendente),
    in_progress: countWhere(statuses['Em andamento']),
    concluded: countWhere(statuses.Concluído),
  }),
  sql`(
    select count(*) as available from ${questionnaires}
    where ${questionnaires.group_id} = ${groups.id}
  ) cross join (
    select count(${questionnaires.id}) as completed
    from ${informerGroups}
    left join ${informerCompletions}
      on ${informerCompletions.informer_id} = ${informerGroups.informer_id}
    left join ${questionnaires}
      on ${questionnaires.id} = ${informerCompletions.questionnaire_id}
        and ${questionnaires.group_id} = ${informerGroups.group_id}
    where ${informerGroups.group_id} = ${groups.id}
    group by ${informerGroups.name_folded}, ${informerGroups.informer_id}
  )`,
)

/** Builds the query of processes with their groups, by name. */
const selectWithGroups = <Group>(db: Database, group: SQL<Group>) =>
  db
    .select({
      id: processes.id,
      name: processes.name,
      protocol: processes.protocol,
      created_at: processes.created_at,
      updated_at: processes.updated_at,
      groups: jsonColumn(
        'groups',
        jsonArray(group, groups.name_folded),
        sql`${groups} where ${groups.process_id} = ${processes.id}`,
      ),
    })
    .from(processes)

/** Builds the query of processes; the caller adds the condition. */
export const selectProcesses = (db: Database) =>
  selectWithGroups(db, jsonMerge(jsonObject(groupMembers), progress))

/**
 * A process with its groups and questionnaires, by name, and the progress of each group's
 * informers.
 */
export type ProcessWithGroups = Awaited<ReturnType<typeof selectProcesses>>[number]

/** Builds the query of one process. */
export const selectProcess = (db: Database, id: string) =>
  selectProcesses(db).where(eq(processes.id, id))

/**
 * Returns a process, or null. One round trip.
 * @param actor who must be current, if a body came since the guard
 * @throws {EndedSessionError}
 */
export const getProcess = (
  db: Database,
  id: string,
  actor?: Actor,
): Promise<ProcessWithGroups | null> => readRow(db, selectProcess(db, id), actor)

/** Returns the groups of a process to copy, with their titles, or null. One round trip. */
export async function getGroupsToCopy(db: Database, processId: string) {
  const { name, color, description } = groups
  const titles = subselect(
    jsonArray(sql<string>`${questionnaires.title}`, questionnaires.title_folded),
    sql`${questionnaires} where ${questionnaires.group_id} = ${groups.id}`,
  )
  const group = jsonObject({ name, color, description, questionnaires: titles })
  const [process] = await selectWithGroups(db, group).where(eq(processes.id, processId))
  return process?.groups ?? null
}

type ProcessFilter = {
  /** Folded; '' matches all. */
  search: string
}

/** Returns one page of processes, by protocol, and the total, without progress. One round trip. */
export function listProcesses<Filter extends ProcessFilter>(
  db: Database,
  filter: Exactly<ProcessFilter, Filter>,
  page: Page,
) {
  const { search }: ProcessFilter = filter
  const searched = [processes.name_folded, processes.protocol_folded]
  const where = holdsWords(search, searched)
  return readPage(
    db,
    selectWithGroups(db, listedGroup)
      .where(where)
      .orderBy(processes.protocol_folded)
      .limit(page.perPage)
      .offset(offsetOf(page)),
    db.select({ total: count() }).from(processes).where(where),
  )
}
