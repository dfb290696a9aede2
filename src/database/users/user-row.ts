import { and, eq, sql } from 'drizzle-orm'
import { hasRole } from './conditions.ts'
import type { Actor } from '#database/actor.ts'
import type { Database } from '#database/client.ts'
import { categories, dioceses, treatmentPronouns } from '#database/schema/lists.ts'
import {
  groups,
  informerCompletions,
  informerGroups,
  processes,
  questionnaires,
} from '#database/schema/processes.ts'
import { roles, users } from '#database/schema/users.ts'
import {
  jsonArray,
  jsonColumn,
  jsonObject,
  nullableJsonColumn,
  subselect,
} from '#database/sql/json.ts'
import { type Placeholders, prepareQuery } from '#database/sql/prepared.ts'
import { readRow } from '#database/transactions.ts'
import type { RoleSlug } from '#domain/roles.ts'

/**
 * Returns a user, or null. One round trip.
 * @param actor who must be current, if a body came since the guard
 * @throws {EndedSessionError}
 */
export const getUser = (
  db: Database,
  role: RoleSlug,
  id: string,
  actor?: Actor,
): Promise<UserRow | null> => readRow(db, selectUser(db, { role, id }), actor)

/** The query of one user. */
export const selectUser = prepareQuery(
  (db, { role, id }: Placeholders<{ role: RoleSlug; id: string }>) =>
    db
      .select(userColumns)
      .from(users)
      .where(and(eq(users.id, id), hasRole(role))),
)

export type UserRow = ReturnType<typeof selectUser>['_']['result'][number]

export const roleObject = jsonObject({
  id: roles.id,
  name: roles.name,
  slug: roles.slug,
  description: roles.description,
})

const categoryObject = jsonObject({
  id: categories.id,
  name: categories.name,
  description: categories.description,
  active: categories.active,
})

const treatmentPronounObject = jsonObject({
  id: treatmentPronouns.id,
  name: treatmentPronouns.name,
  description: treatmentPronouns.description,
  active: treatmentPronouns.active,
})

const dioceseObject = jsonObject({
  id: dioceses.id,
  name: dioceses.name,
  state: dioceses.state,
  active: dioceses.active,
})

/** The questionnaires of a pair's group, with when the informer completed each. */
const pairQuestionnaires = jsonArray(
  jsonObject({
    id: questionnaires.id,
    title: questionnaires.title,
    completed_at: sql<string | null>`${informerCompletions.created_at}`,
  }),
  questionnaires.title_folded,
)

const pairObject = jsonObject({
  process: jsonObject({
    id: processes.id,
    name: processes.name,
    protocol: processes.protocol,
  }),
  group: jsonObject({
    id: groups.id,
    name: groups.name,
    color: groups.color,
    description: groups.description,
  }),
  questionnaires: subselect(
    pairQuestionnaires,
    sql`${questionnaires} left join ${informerCompletions}
      on ${informerCompletions.questionnaire_id} = ${questionnaires.id}
        and ${informerCompletions.informer_id} = ${users.id}
      where ${questionnaires.group_id} = ${groups.id}`,
  ),
})

/** An informer's pairs of process and group, the oldest association first. */
export const pairsColumn = jsonColumn(
  'pairs',
  jsonArray(pairObject, informerGroups.created_at, informerGroups.id),
  sql`${informerGroups}
    join ${groups} on ${groups.id} = ${informerGroups.group_id}
    join ${processes} on ${processes.id} = ${groups.process_id}
    where ${informerGroups.informer_id} = ${users.id}`,
)

/** The columns of a user, for queries of `users`. */
export const userColumns = {
  id: users.id,
  first_name: users.first_name,
  last_name: users.last_name,
  initials: users.initials,
  email: users.email,
  email_verification_required: users.email_verification_required,
  is_email_verified: sql`${users.email_verified_at} is not null`
    .mapWith(Boolean)
    .as('is_email_verified'),
  has_password: sql`${users.password_hash} is not null`
    .mapWith(Boolean)
    .as('has_password'),
  password_by_link: users.password_by_link,
  has_second_factor: sql`${users.second_factor_enabled_at} is not null`
    .mapWith(Boolean)
    .as('has_second_factor'),
  cpf: users.cpf,
  phone: users.phone,
  img_url: users.img_url,
  role: jsonColumn(
    'role',
    roleObject,
    sql`${roles} where ${roles.id} = ${users.role_id}`,
  ),
  category: nullableJsonColumn(
    'category',
    categoryObject,
    sql`${categories} where ${categories.id} = ${users.category_id}`,
  ),
  treatment_pronoun: nullableJsonColumn(
    'treatment_pronoun',
    treatmentPronounObject,
    sql`${treatmentPronouns} where ${treatmentPronouns.id} = ${users.treatment_pronoun_id}`,
  ),
  diocese: nullableJsonColumn(
    'diocese',
    dioceseObject,
    sql`${dioceses} where ${dioceses.id} = ${users.diocese_id}`,
  ),
  created_at: users.created_at,
  updated_at: users.updated_at,
  revision: users.revision,
  pairs: pairsColumn,
}
