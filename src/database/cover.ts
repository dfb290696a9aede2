import { and, asc, count, eq } from 'drizzle-orm'
import type { Database } from './connection.ts'
import {
  groups,
  informerCompletions,
  informerGroups,
  processes,
  questionnaires,
  roles,
  users,
} from './schema.ts'

/**
 * A user and, in the order of association, the groups with their process and how many questionnaires each
 * has and how many of them the user completed. One statement, however many groups there are.
 *
 * @returns null where no such user exists
 */
export async function readCover(db: Database, userId: string) {
  const rows = await db
    .select({
      user: {
        id: users.id,
        first_name: users.first_name,
        last_name: users.last_name,
        email: users.email,
        role: roles.slug,
      },
      process: { id: processes.id, name: processes.name, protocol: processes.protocol },
      group: { id: groups.id, name: groups.name },
      questionnaires: count(questionnaires.id),
      completed: count(informerCompletions.questionnaire_id),
    })
    .from(users)
    .innerJoin(roles, eq(roles.id, users.role_id))
    .leftJoin(informerGroups, eq(informerGroups.informer_id, users.id))
    .leftJoin(groups, eq(groups.id, informerGroups.group_id))
    .leftJoin(processes, eq(processes.id, groups.process_id))
    .leftJoin(questionnaires, eq(questionnaires.group_id, groups.id))
    .leftJoin(
      informerCompletions,
      and(
        eq(informerCompletions.informer_id, users.id),
        eq(informerCompletions.questionnaire_id, questionnaires.id),
      ),
    )
    .where(eq(users.id, userId))
    .groupBy(informerGroups.id)
    .orderBy(asc(informerGroups.created_at), asc(informerGroups.id))
  const [first] = rows
  if (!first) return null
  const pairs = rows.flatMap(({ process, group, questionnaires, completed }) =>
    process && group ? [{ process, group, questionnaires, completed }] : [],
  )
  return { user: first.user, pairs }
}
