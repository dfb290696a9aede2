import { and, type SQL, sql } from 'drizzle-orm'
import type { QuestionnaireStatus } from '../domain/completion.ts'
import { offsetOf, type Page } from '../domain/pagination.ts'
import type { RoleSlug } from '../domain/roles.ts'
import type { Database } from './client.ts'
import { hasRole, userColumns } from './users.ts'

/** The filters of a list of users; those of groups find informers only. */
export type UserFilter = {
  /** Folded; '' matches all. */
  search: string
  process_id?: string
  group_id?: string
  /** Of any pair that the other filters leave. */
  questionnaire_status?: QuestionnaireStatus
}

/**
 * One page of the users of a role, by name, in the order of an index, and the total. One round trip, and one pass over
 * the index, unless the matches go on behind the page or end before it: then they are counted.
 */
export async function listUsers(db: Database, role: RoleSlug, filter: UserFilter, page: Page) {
  const { perPage } = page
  const offset = offsetOf(page)
  const matches = selectMatches(role, filter)
  const found = await db
    .select({ ...userColumns, total: sql<number>`total` })
    .from(
      sql`(
        with page as materialized (${matches} order by name, id limit ${perPage + 1} offset ${offset}),
          counted as (select count(*) as found from page)
        select page.id, page.name,
          iif(found between ${offset && 1} and ${perPage}, ${offset} + found, (select count(*) from (${matches}))) as total
        from counted left join page
      ) as page left join users on users.id = page.id`,
    )
    .orderBy(sql`page.name, page.id`)
  const rows = found.filter(({ id }) => id !== null).slice(0, perPage)
  return { rows: rows.map(({ total, ...row }) => row), total: found[0]?.total ?? 0 }
}

/** The ids and folded names of the matching users, from an index that has their order. */
function selectMatches(
  role: RoleSlug,
  { search, process_id, group_id, questionnaire_status: status }: UserFilter,
): SQL {
  const cpf = search.replace(/^(\d{3})\.?(\d{3})\.?(\d{3})-?(\d{2})$/, '$1$2$3$4')
  const isIn = sql`(instr(users.name_folded, ${search}) or instr(users.email, ${search}) or users.cpf = ${cpf})`
  const isFound = search ? isIn : undefined
  if (!process_id && !group_id && !status)
    return sql`select id, name_folded as name from users where ${and(hasRole(role), isFound)}`
  const isOfGroup = group_id ? sql`pairs.group_id = ${group_id}` : undefined
  const isOfProcess = process_id ? sql`pairs.process_id = ${process_id}` : undefined
  const isOfProcessToo = sql`exists (
    select 1 from informer_groups where informer_id = pairs.informer_id and process_id = ${process_id})`
  // an informer may have several groups of a process
  return sql`
    select pairs.informer_id as id, pairs.name_folded as name
    from informer_groups as pairs ${isFound ? sql`join users on users.id = pairs.informer_id` : sql``}
    where ${and(
      isOfGroup ?? isOfProcess,
      isOfGroup && isOfProcess && isOfProcessToo, // by any group
      status && and(isOfProcess, hasStatus(status)),
      isFound,
    )}
    group by pairs.name_folded, pairs.informer_id`
}

function hasStatus(status: QuestionnaireStatus): SQL {
  const all = sql`(select count(*) from questionnaires where group_id = pairs.group_id)`
  const completed = sql`(
    select count(*) from questionnaires
    join informer_completions on questionnaire_id = questionnaires.id
    where group_id = pairs.group_id and informer_completions.informer_id = pairs.informer_id)`
  return {
    Pendente: sql`${completed} = 0`,
    'Em andamento': sql`${completed} between 1 and ${all} - 1`,
    Concluído: sql`${completed} > 0 and ${completed} = ${all}`,
  }[status]
}
