import { and, eq, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import { hasRole } from './conditions.ts'
import { userColumns } from './user-row.ts'
import type { Database } from '#database/client.ts'
import { statusConditions } from '#database/completion.ts'
import {
  informerCompletions,
  informerGroups,
  questionnaires,
} from '#database/schema/processes.ts'
import { users } from '#database/schema/users.ts'
import { type Exactly, hasRow, holdsWords, unindexed } from '#database/sql/conditions.ts'
import { readPage } from '#database/sql/pages.ts'
import type { QuestionnaireStatus } from '#domain/completion.ts'
import { offsetOf, type Page } from '#domain/pagination.ts'
import type { RoleSlug } from '#domain/roles.ts'

/** The filters of a list of users; all but `search` find informers only. */
type UserFilter = {
  /** Folded; '' matches all. */
  search: string
  /** These four apply to one and the same pair. */
  process_id?: string | undefined
  group_id?: string | undefined
  questionnaire_status?: QuestionnaireStatus | undefined
  is_concluded?: boolean | undefined
  category_id?: number | undefined
  diocese_id?: number | undefined
  treatment_pronoun_id?: number | undefined
  has_process?: boolean | undefined
  is_email_verified?: boolean | undefined
}

/** Returns one page of the users of a role, by name, and the total. One round trip. */
export function listUsers<Filter extends UserFilter>(
  db: Database,
  role: RoleSlug,
  filter: Exactly<UserFilter, Filter>,
  page: Page,
) {
  const matches = hasPairFilter(filter)
    ? selectByPair(filter)
    : selectByUser(role, filter)
  const ids = sql`(
    select id from (
      ${matches} order by name, id limit ${page.perPage} offset ${offsetOf(page)}))`
  return readPage(
    db,
    db
      .select(userColumns)
      .from(users)
      .where(inArray(users.id, ids))
      .orderBy(users.name_folded, users.id),
    db.select({ total: sql<number>`count(*)` }).from(sql`(${matches})`),
  )
}

const hasPairFilter = ({
  process_id,
  group_id,
  questionnaire_status,
  is_concluded,
}: UserFilter): boolean =>
  Boolean(process_id || group_id || questionnaire_status) || is_concluded !== undefined

/** Selects the ids and folded names of the matching users, from an index in that order. */
const selectByUser = (role: RoleSlug, filter: UserFilter): SQL => sql`
  select ${users.id}, ${users.name_folded} as name from ${users}
  where ${and(hasRole(role), matchesUser(filter))}`

/** The same for informers, from an index of the pairs of a group or process in that order. */
function selectByPair(filter: UserFilter): SQL {
  const { process_id, group_id, questionnaire_status, is_concluded } = filter
  const ofUser = matchesUser(filter)
  const joinUsers = sql`join ${users} on ${users.id} = ${informerGroups.informer_id}`
  const where = and(
    group_id ? eq(informerGroups.group_id, group_id) : undefined,
    // the index of the group is enough
    process_id && group_id
      ? eq(unindexed(informerGroups.process_id), process_id)
      : undefined,
    process_id && !group_id ? eq(informerGroups.process_id, process_id) : undefined,
    questionnaire_status ? hasStatus(questionnaire_status) : undefined,
    holds(hasStatus('Concluído'), is_concluded),
    ofUser,
  )
  // an informer may have several groups of a process
  return sql`
    select ${informerGroups.informer_id} as id, ${informerGroups.name_folded} as name
    from ${informerGroups} ${ofUser ? joinUsers : sql``}
    where ${where}
    group by ${informerGroups.name_folded}, ${informerGroups.informer_id}`
}

function matchesUser(filter: UserFilter): SQL | undefined {
  const { search, category_id, diocese_id, treatment_pronoun_id } = filter
  const isInProcess = hasRow(informerGroups, eq(informerGroups.informer_id, users.id))
  return and(
    search ? isFound(search) : undefined,
    category_id ? eq(users.category_id, category_id) : undefined,
    diocese_id ? eq(users.diocese_id, diocese_id) : undefined,
    treatment_pronoun_id
      ? eq(users.treatment_pronoun_id, treatment_pronoun_id)
      : undefined,
    holds(isInProcess, filter.has_process),
    holds(isNotNull(users.email_verified_at), filter.is_email_verified),
  )
}

/** Returns a condition or its negation; undefined without a filter. */
function holds(condition: SQL, expected: boolean | undefined): SQL | undefined {
  if (expected === undefined) return undefined
  return expected ? condition : sql`not (${condition})`
}

/** Matches words in the full name and email, or a whole CPF, with or without punctuation. */
function isFound(search: string): SQL | undefined {
  const cpf = search.replace(/^(\d{3})\.?(\d{3})\.?(\d{3})-?(\d{2})$/, '$1$2$3$4')
  return or(holdsWords(search, [users.name_folded, users.email]), eq(users.cpf, cpf))
}

/** A condition: a pair has a status. */
function hasStatus(status: QuestionnaireStatus): SQL {
  const available = sql`(
    select count(*) from ${questionnaires}
    where ${questionnaires.group_id} = ${informerGroups.group_id})`
  const completed = sql`(
    select count(*) from ${questionnaires} join ${informerCompletions}
    on ${informerCompletions.questionnaire_id} = ${questionnaires.id}
    where ${questionnaires.group_id} = ${informerGroups.group_id}
      and ${informerCompletions.informer_id} = ${informerGroups.informer_id})`
  return statusConditions(completed, available)[status]
}
