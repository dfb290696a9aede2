import { sql } from 'drizzle-orm'
import type { TokenState } from './access-tokens.ts'
import type { Database } from './client.ts'

type User = {
  id: string
  first_name: string
  last_name: string | null
  email: string | null
}

type Pair = {
  process: { id: string; name: string; protocol: string }
  group: { id: string; name: string }
  questionnaires: number
  completed: number
}

/** A user joined with one of their groups; nulls if there is none. */
type Row = User &
  TokenState & {
    process_id: string
    process_name: string
    protocol: string
    group_id: string | null
    group_name: string
    questionnaires: number
    completed: number
  }

/**
 * Reads a user and their groups in order of association, with the process and the counts of questionnaires. One
 * statement for any number of groups, in plain SQL: building it with Drizzle took a fifth of the time of a cover.
 *
 * @returns null if there is no such user
 */
export async function readCover(
  db: Database,
  userId: string,
): Promise<{ user: User & TokenState; pairs: Pair[] } | null> {
  const rows = await db.all<Row>(sql`
    select users.id, users.first_name, users.last_name, users.email, roles.slug as role,
      users.token_version as tokenVersion,
      processes.id as process_id, processes.name as process_name, processes.protocol,
      groups.id as group_id, groups.name as group_name,
      count(questionnaires.id) as questionnaires, count(done.questionnaire_id) as completed
    from users
    join roles on roles.id = users.role_id
    left join informer_groups on informer_groups.informer_id = users.id
    left join groups on groups.id = informer_groups.group_id
    left join processes on processes.id = groups.process_id
    left join questionnaires on questionnaires.group_id = groups.id
    left join informer_completions as done
      on done.informer_id = users.id and done.questionnaire_id = questionnaires.id
    where users.id = ${userId}
    group by informer_groups.id
    order by informer_groups.created_at, informer_groups.id`)
  const [user] = rows
  if (!user) return null
  const pairs = rows.flatMap(({ process_id, process_name, protocol, group_id, group_name, ...counts }) =>
    group_id === null
      ? []
      : {
          process: { id: process_id, name: process_name, protocol },
          group: { id: group_id, name: group_name },
          questionnaires: counts.questionnaires,
          completed: counts.completed,
        },
  )
  return { user, pairs }
}
