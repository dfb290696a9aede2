import { type SQL, sql } from 'drizzle-orm'
import { type QuestionnaireStatus, questionnaireStatus } from '../domain/completion.ts'
import { fullName } from '../domain/names.ts'
import { offsetOf, type Page } from '../domain/pagination.ts'
import { batch, type Database } from './client.ts'
import { hasRole, readUser, selectUsers, type UserRow } from './users.ts'

/** An informer in responses. */
export type Informer = ReturnType<typeof toInformer>

export function toInformer(row: UserRow) {
  const processes_groups = row.memberships.map(({ process, group, ...counts }) => ({
    process,
    group,
    ...questionnaireStatus(counts),
  }))
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: fullName(row),
    initials: row.initials,
    email: row.email,
    is_email_verified: row.email_verified_at !== null,
    has_password: Boolean(row.has_password),
    cpf: row.cpf,
    phone: row.phone,
    img_url: row.img_url,
    role: row.role,
    category: row.category,
    treatment_pronoun: row.treatment_pronoun,
    diocese: row.diocese,
    process: processes_groups[0]?.process ?? null,
    group: processes_groups[0]?.group ?? null,
    created_at: row.created_at,
    updated_at: row.updated_at,
    processes_groups,
  }
}

/** One informer, or null. One round trip. */
export async function readInformer(db: Database, id: string): Promise<Informer | null> {
  const row = await readUser(db, 'informer', id)
  return row && toInformer(row)
}

type InformerFilter = {
  /** Folded; '' matches all. */
  search: string
  process_id?: string | undefined
  group_id?: string | undefined
  /** Of any pair that the other filters leave. */
  questionnaire_status?: QuestionnaireStatus | undefined
}

/**
 * One page of informers, by name, and the total. One round trip. An index has the matches in this order: of all
 * informers, or of the members of a group or process.
 */
export async function listInformers(
  db: Database,
  filter: InformerFilter,
  page: Page,
): Promise<{ informers: Informer[]; total: number }> {
  const matches = selectMatches(filter)
  const { rows, counted } = await batch(db, {
    rows: selectUsers(
      db,
      sql`(${matches} order by name, id limit ${page.perPage} offset ${offsetOf(page)}) as page
        join users on users.id = page.id
        order by page.name, page.id`,
    ),
    counted: db.select({ total: sql<number>`count(*)` }).from(sql`(${matches})`),
  })
  return { informers: rows.map(toInformer), total: counted[0]?.total ?? 0 }
}

/** The ids and folded names of the matching informers, from an index that has their order. */
function selectMatches({ search, process_id, group_id, questionnaire_status }: InformerFilter): SQL {
  const isFound =
    search &&
    sql`(instr(users.name_folded, ${search}) or instr(users.email, ${search}) or users.cpf = ${cpfOf(search)})`
  if (!process_id && !group_id && !questionnaire_status)
    return sql`select id, name_folded as name from users where ${and(hasRole('informer'), isFound)}`
  const isOfProcess = process_id && sql`process_id = ${process_id}`
  // an informer may have several groups of a process
  return sql`
    select pairs.informer_id as id, pairs.name_folded as name
    from informer_groups as pairs ${isFound ? sql`join users on users.id = pairs.informer_id` : sql``}
    where ${and(
      group_id ? sql`pairs.group_id = ${group_id}` : isOfProcess && sql`pairs.${isOfProcess}`,
      // of the process by any group
      group_id &&
        isOfProcess &&
        sql`exists (select 1 from informer_groups where informer_id = pairs.informer_id and ${isOfProcess})`,
      questionnaire_status && and(isOfProcess && sql`pairs.${isOfProcess}`, hasStatus(questionnaire_status)),
      isFound,
    )}
    group by pairs.name_folded, pairs.informer_id`
}

/** The digits of a CPF with or without its dots. */
const cpfOf = (search: string) => search.replace(/^(\d{3})\.?(\d{3})\.?(\d{3})-?(\d{2})$/, '$1$2$3$4')

const and = (...conditions: (SQL | '' | undefined)[]) =>
  sql.join(
    conditions.filter((condition) => condition),
    sql` and `,
  )

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
