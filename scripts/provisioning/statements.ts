import { type SQL, sql } from 'drizzle-orm'
import { NOW } from '../../src/database/columns.ts'
import {
  categories,
  changelogs,
  dioceses,
  groups,
  informerCompletions,
  informerGroups,
  processes,
  questionnaires,
  roles,
  treatmentPronouns,
  users,
} from '../../src/database/schema.ts'

// Each writes the rows of one table from JSON, by natural keys, and only what differs.

const field = (name: string) => sql`row.value ->> ${sql.raw(`'${name}'`)}`

const GROUP_OF_ROW = sql`
  join ${processes} on ${processes.protocol} = ${field('protocol')}
  join ${groups} on ${groups.process_id} = ${processes.id} and ${groups.name} = ${field('group')}`

const INFORMER_OF_ROW = sql`
  join ${users} on ${users.email} = ${field('email')} or ${users.cpf} = ${field('cpf')}`

export const upsertDescribed = (table: typeof categories | typeof treatmentPronouns) => (rows: SQL) =>
  sql`
  insert into ${table} (name, description, active)
  select ${field('name')}, ${field('description')}, ${field('active')} from ${rows} where true
  on conflict (name) do update
  set description = excluded.description, active = excluded.active, updated_at = ${NOW}
  where (${table.description}, ${table.active}) is not (excluded.description, excluded.active)`

export const upsertDioceses = (rows: SQL) => sql`
  insert into ${dioceses} (name, state, active)
  select ${field('name')}, ${field('state')}, ${field('active')} from ${rows} where true
  on conflict (name) do update
  set state = excluded.state, active = excluded.active, updated_at = ${NOW}
  where (${dioceses.state}, ${dioceses.active}) is not (excluded.state, excluded.active)`

export const upsertProcesses = (rows: SQL) => sql`
  insert into ${processes} (id, protocol, name)
  select ${field('id')}, ${field('protocol')}, ${field('name')} from ${rows} where true
  on conflict (protocol) do update set name = excluded.name, updated_at = ${NOW}
  where ${processes.name} is not excluded.name`

export const upsertGroups = (rows: SQL) => sql`
  insert into ${groups} (id, process_id, name, color, description)
  select ${field('id')}, ${processes.id}, ${field('name')}, ${field('color')}, ${field('description')}
  from ${rows} join ${processes} on ${processes.protocol} = ${field('protocol')} where true
  on conflict (process_id, name) do update
  set color = excluded.color, description = excluded.description, updated_at = ${NOW}
  where (${groups.color}, ${groups.description}) is not (excluded.color, excluded.description)`

export const insertQuestionnaires = (rows: SQL) => sql`
  insert into ${questionnaires} (id, group_id, title)
  select ${field('id')}, ${groups.id}, ${field('title')} from ${rows} ${GROUP_OF_ROW} where true
  on conflict (group_id, title) do nothing`

const USER_FIELDS = [
  'last_name',
  'email',
  'cpf',
  'phone',
  'treatment_pronoun_id',
  'category_id',
  'diocese_id',
]

export const upsertUsers = (rows: SQL) => sql`
  insert into ${users} (id, role_id, first_name, name_folded, initials, password_hash, last_name, email, cpf, phone,
    treatment_pronoun_id, category_id, diocese_id)
  select ${field('id')}, ${roles.id}, ${field('first_name')}, ${field('name_folded')}, ${field('initials')}, ${field('password_hash')},
    ${field('last_name')}, ${field('email')}, ${field('cpf')}, ${field('phone')},
    (select id from ${treatmentPronouns} where name = ${field('treatment_pronoun')}),
    (select id from ${categories} where name = ${field('category')}),
    (select id from ${dioceses} where name = ${field('diocese')})
  from ${rows} join ${roles} on ${roles.slug} = ${field('role')} where true
  on conflict (id) do update
  set first_name = excluded.first_name, name_folded = excluded.name_folded,
    initials = excluded.initials, updated_at = ${NOW},
    password_hash = coalesce(users.password_hash, excluded.password_hash),
    ${sql.raw(USER_FIELDS.map((name) => `${name} = coalesce(excluded.${name}, users.${name})`).join(', '))}
  where users.first_name is not excluded.first_name
    or (users.password_hash is null and excluded.password_hash is not null)
    or ${sql.raw(USER_FIELDS.map((name) => `users.${name} is not coalesce(excluded.${name}, users.${name})`).join(' or '))}`

export const insertAssociations = (rows: SQL) => sql`
  insert into ${informerGroups} (informer_id, group_id)
  select ${users.id}, ${groups.id} from ${rows} ${GROUP_OF_ROW} ${INFORMER_OF_ROW} where true
  order by row.key
  on conflict (informer_id, group_id) do nothing`

export const insertCompletions = (rows: SQL) => sql`
  insert into ${informerCompletions} (informer_id, questionnaire_id)
  select ${users.id}, ${questionnaires.id} from ${rows} ${GROUP_OF_ROW} ${INFORMER_OF_ROW}
  join ${questionnaires} on ${questionnaires.group_id} = ${groups.id} and ${questionnaires.title} = ${field('title')}
  where true
  on conflict (informer_id, questionnaire_id) do nothing`

export const insertEntries = (rows: SQL) => sql`
  insert into ${changelogs} (id, version, date, title, description, category, is_published)
  select ${field('id')}, ${field('version')}, ${field('date')}, ${field('title')}, ${field('description')},
    ${field('category')}, ${field('is_published')}
  from ${rows}
  where not exists (
    select 1 from ${changelogs} where version = ${field('version')} and title = ${field('title')})`
