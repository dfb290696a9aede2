import { sql } from 'drizzle-orm'
import type { Database } from '../../src/database/client.ts'
import {
  categories,
  dioceses,
  groups,
  processes,
  questionnaires,
  roles,
  treatmentPronouns,
  users,
} from '../../src/database/schema.ts'
import type { RoleSlug } from '../../src/domain/roles.ts'
import type { ProvisioningDocument } from './document.ts'

/** Someone whom the database already knows. */
export type KnownUser = {
  id: string
  last_name: string | null
  email: string | null
  cpf: string | null
  role: RoleSlug
  hasPassword: boolean
}

export type Person = { role: RoleSlug; path: string; email?: string | undefined; cpf?: string | undefined }

/** Everyone in a document, with the place where they stand. */
export function peopleOf(document: ProvisioningDocument) {
  return [
    ...document.administrators.map((person, at) => ({
      ...person,
      role: 'administrator' as const,
      path: `administrators[${at}]`,
    })),
    ...document.informers.map((person, at) => ({
      ...person,
      role: 'informer' as const,
      path: `informers[${at}]`,
    })),
  ]
}

/** One key from the parts of a natural key. */
export const keyOf = (...parts: string[]) => JSON.stringify(parts)

/** Whoever of a document's people is in the database, by email or CPF. */
export async function findKnownUsers(db: Database, document: ProvisioningDocument): Promise<KnownUser[]> {
  const people = peopleOf(document)
  const emails = JSON.stringify(people.flatMap(({ email }) => email ?? []))
  const cpfs = JSON.stringify(people.flatMap(({ cpf }) => cpf ?? []))
  const found = await db
    .select({
      id: users.id,
      last_name: users.last_name,
      email: users.email,
      cpf: users.cpf,
      role: roles.slug,
      hasPassword: sql`${users.password_hash} is not null`.mapWith(Boolean),
    })
    .from(users)
    .innerJoin(roles, sql`${roles.id} = ${users.role_id}`)
    .where(
      sql`${users.email} in (select value from json_each(${emails})) or ${users.cpf} in (select value from json_each(${cpfs}))`,
    )
  return found as KnownUser[]
}

/** The one whom an email or a CPF names; two where they name two people. */
export function matching(known: KnownUser[], person: Person): KnownUser[] {
  return known.filter(
    (user) => (person.email && user.email === person.email) || (person.cpf && user.cpf === person.cpf),
  )
}

/** What contradicts itself in a document, or refers to what neither it nor the database holds. */
export async function findProblems(
  db: Database,
  document: ProvisioningDocument,
  known: KnownUser[],
): Promise<string[]> {
  return [
    ...findRepetitions(document),
    ...findIdentityConflicts(document, known),
    ...(await findDanglingReferences(db, document)),
  ]
}

function findRepetitions(document: ProvisioningDocument): string[] {
  const seen = new Map<string, string>()
  const once = (path: string, ...key: string[]) => {
    const first = seen.get(keyOf(...key))
    seen.set(keyOf(...key), first ?? path)
    return first ? [`${path}: the same as ${first}`] : []
  }
  return [
    ...(['categories', 'treatment_pronouns', 'dioceses'] as const).flatMap((kind) =>
      document[kind].flatMap(({ name }, at) => once(`${kind}[${at}].name`, kind, name)),
    ),
    ...document.processes.flatMap(({ protocol, groups }, at) => [
      ...once(`processes[${at}].protocol`, 'process', protocol),
      ...groups.flatMap(({ name, questionnaires }, group) => [
        ...once(`processes[${at}].groups[${group}].name`, 'group', protocol, name),
        ...questionnaires.flatMap((title, index) =>
          once(
            `processes[${at}].groups[${group}].questionnaires[${index}]`,
            'questionnaire',
            protocol,
            name,
            title,
          ),
        ),
      ]),
    ]),
    ...document.changelogs.flatMap(({ version, title }, at) =>
      once(`changelogs[${at}]`, 'entry', version, title),
    ),
    ...peopleOf(document).flatMap(({ path, email, cpf }) => [
      ...(email ? once(`${path}.email`, 'email', email) : []),
      ...(cpf ? once(`${path}.cpf`, 'cpf', cpf) : []),
    ]),
  ]
}

function findIdentityConflicts(document: ProvisioningDocument, known: KnownUser[]): string[] {
  return peopleOf(document).flatMap((person) => {
    const matches = matching(known, person)
    if (matches.length > 1) return [`${person.path}: email and CPF belong to two people`]
    if (matches[0] && matches[0].role !== person.role)
      return [`${person.path}: is already there in another role`]
    return []
  })
}

async function findDanglingReferences(db: Database, document: ProvisioningDocument): Promise<string[]> {
  const held = await readHeldKeys(db)
  for (const kind of ['categories', 'treatment_pronouns', 'dioceses'] as const) {
    for (const { name } of document[kind]) held.add(keyOf(kind, name))
  }
  for (const { protocol, groups } of document.processes) {
    for (const { name, questionnaires } of groups) {
      held.add(keyOf('group', protocol, name))
      for (const title of questionnaires) held.add(keyOf('questionnaire', protocol, name, title))
    }
  }
  const refer = (path: string, ...key: (string | undefined)[]) =>
    key.every((part) => part !== undefined) && !held.has(keyOf(...key))
      ? [`${path}: is nowhere to be found`]
      : []

  return document.informers.flatMap((informer, at) => [
    ...refer(`informers[${at}].category`, 'categories', informer.category),
    ...refer(`informers[${at}].treatment_pronoun`, 'treatment_pronouns', informer.treatment_pronoun),
    ...refer(`informers[${at}].diocese`, 'dioceses', informer.diocese),
    ...informer.groups.flatMap(({ protocol, group, completed }, index) => [
      ...refer(`informers[${at}].groups[${index}]`, 'group', protocol, group),
      ...completed.flatMap((title, place) =>
        refer(
          `informers[${at}].groups[${index}].completed[${place}]`,
          'questionnaire',
          protocol,
          group,
          title,
        ),
      ),
    ]),
  ])
}

/** The natural keys of everything in the database that an informer can refer to. */
async function readHeldKeys(db: Database): Promise<Set<string>> {
  const [ofCategories, ofPronouns, ofDioceses, ofGroups, ofQuestionnaires] = await db.batch([
    db.select({ name: categories.name }).from(categories),
    db.select({ name: treatmentPronouns.name }).from(treatmentPronouns),
    db.select({ name: dioceses.name }).from(dioceses),
    db
      .select({ protocol: processes.protocol, group: groups.name })
      .from(groups)
      .innerJoin(processes, sql`${processes.id} = ${groups.process_id}`),
    db
      .select({ protocol: processes.protocol, group: groups.name, title: questionnaires.title })
      .from(questionnaires)
      .innerJoin(groups, sql`${groups.id} = ${questionnaires.group_id}`)
      .innerJoin(processes, sql`${processes.id} = ${groups.process_id}`),
  ])
  return new Set([
    ...ofCategories.map(({ name }) => keyOf('categories', name)),
    ...ofPronouns.map(({ name }) => keyOf('treatment_pronouns', name)),
    ...ofDioceses.map(({ name }) => keyOf('dioceses', name)),
    ...ofGroups.map(({ protocol, group }) => keyOf('group', protocol, group)),
    ...ofQuestionnaires.map(({ protocol, group, title }) => keyOf('questionnaire', protocol, group, title)),
  ])
}
