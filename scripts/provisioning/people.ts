import { fold } from '../../src/domain/folding.ts'
import { fullName } from '../../src/domain/names.ts'
import { texts } from '../lib/language.ts'
import { create, type Service, ServiceError, send } from '../lib/service-client.ts'
import type { Document, Person } from './document.ts'
import { REFERENCE_FIELDS, type References } from './lists.ts'
import type { State, User } from './state.ts'
import { differing, type Step } from './steps.ts'

/** Of a service, or of what is known of it. */
export type People = Pick<State, 'administrators' | 'informers'>
export type Role = keyof People

/** A full name without case and accents. */
export const foldedName = ({
  first_name,
  last_name = null,
}: Pick<Person, 'first_name' | 'last_name'>) => fold(fullName({ first_name, last_name }))

/** The people of a document, each with the path and the role. */
export function peopleOf(document: Document): { person: Person; path: string; role: Role }[] {
  return (['administrators', 'informers'] as const).flatMap((role) =>
    (document[role] as Person[]).map((person, at) => ({ person, role, path: `${role}[${at}]` })),
  )
}

/**
 * Finds the user who has the email, the previous email or the CPF of a person.
 * To avoid merging people, it is a problem if these belong to several users, or if the name and an identifier of the
 * user would change at once.
 */
export function userFinder({ administrators, informers }: People) {
  const byIdentifier = new Map(
    [...administrators, ...informers].flatMap((user) =>
      [user.email, user.cpf].map((id) => [id, user] as const),
    ),
  )
  return (person: Person, role: Role): { known?: User; problem?: string } => {
    const identifiers = [person.email, person.previous_email, person.cpf].filter((id) => id != null)
    const [known, ...others] = new Set(identifiers.flatMap((id) => byIdentifier.get(id) ?? []))
    if (others.length > 0) return { known, problem: texts.differentPeople }
    if (known && !{ administrators, informers }[role].includes(known))
      return { known, problem: texts.otherRole }
    if (known && isSomebodyElse(person, known)) return { known, problem: texts.somebodyElse }
    return { known }
  }
}

/**
 * Matches the people of a document to known users.
 * To avoid duplicates, a new person with the name of another one is a problem, unless `allow_same_name` is set or both
 * have a CPF. It is one too if two match the same user.
 */
export function matchPeople(document: Document, state: People) {
  const find = userFinder(state)
  const namesakes = {
    administrators: Map.groupBy(state.administrators, foldedName),
    informers: Map.groupBy(state.informers, foldedName),
  }
  const paths = new Map<User, string>()
  return peopleOf(document).map(({ person, path, role }) => {
    const { known, problem } = find(person, role)
    const samePath = known && paths.get(known)
    if (known) paths.set(known, path)
    const isNamesake = ({ cpf }: User) => !(person.cpf && cpf)
    const problems: string[] = []
    if (problem) problems.push(`${path}: ${problem}`)
    else if (samePath) problems.push(`${path}: is the same person as ${samePath}`)
    else if (!known && person.previous_email != null)
      problems.push(`${path}.previous_email: "${person.previous_email}" was not found`)
    else if (
      !known &&
      !person.allow_same_name &&
      namesakes[role].get(foldedName(person))?.some(isNamesake)
    )
      problems.push(
        `${path}: a person with this name is registered: add their "previous_email" or "cpf", or "allow_same_name": true for another person`,
      )
    return { person, path, role, known, problems }
  })
}

/** Whether the name and an identifier would both change, which is more likely a mistake than a correction. */
export function isSomebodyElse(person: Person, user: User): boolean {
  const { email, previous_email, cpf } = person
  const isRenamed =
    foldedName({ ...person, last_name: person.last_name ?? user.last_name }) !== foldedName(user)
  const differs = (one: string | null | undefined, other: string | null) =>
    one && other && one !== other
  return (
    isRenamed &&
    previous_email == null &&
    Boolean(differs(email, user.email) || differs(cpf, user.cpf))
  )
}

type Planned = { person: Person; known: User | undefined; references: References }
type Plan = Planned & { path: string; role: Role; recreate: boolean }

/** The fields that differ from those of a known user, as the service takes them. A password does if there is none. */
export function personChanges({ person, known, references }: Planned): Record<string, unknown> {
  const { first_name, last_name, email, cpf, phone, img_url } = person
  const password = known?.has_password ? null : person.password
  const changes = differing(
    { first_name, last_name, email, cpf, phone, img_url, password },
    known ?? {},
  )
  for (const field of REFERENCE_FIELDS) {
    const item = references.items[field]
    if (item && (!item.id || item.id !== known?.[field]?.id)) changes[`${field}_id`] = item.id
  }
  return changes
}

/**
 * The steps of a person: first the person, then their groups in order, the completions in them, and the end of groups
 * that are left out with `groups_are_complete`. A password is set only where there is none.
 * @param plan.recreate also if the person was deleted within the week
 */
export function planPerson(service: Service, { path, role, recreate, ...planned }: Plan): Step[] {
  const { person, known, references } = planned
  let user = known
  const at = (suffix = '') => `/${role}/${user?.id}${suffix}`
  const changes = personChanges(planned)
  const add = async () => {
    const { require_email_verification } = person
    const body = { ...changes, group_id: references.groups[0]?.id, require_email_verification }
    const identity = `${role} ${person.cpf ?? person.email ?? `${person.first_name} ${person.last_name ?? ''}`}`
    user = await create<User>(service, `/${role}`, body, identity).catch((error) => {
      if (!recreate || !isDeleted(error)) throw error
      return create<User>(service, `/${role}`, body)
    })
  }
  const update = async () => {
    const { password: _, ...fields } = changes
    if (Object.keys(fields).length > 0) user = await send<User>(service, 'PATCH', at(), fields)
    // a new email may have ended the old password
    if (person.password && !user?.has_password)
      user = await send<User>(service, 'PATCH', at(), { password: person.password })
  }
  const steps: Step[] = []
  const plan = (table: string, suffix: string, kind: Step['kind'], send?: Step['send']) =>
    steps.push({ table, path: `${path}${suffix}`, kind, send })

  if (!known) plan('users', '', 'added', add)
  else if (Object.keys(changes).length > 0) plan('users', '', 'changed', update)
  else plan('users', '', 'unchanged')

  const pairs = known?.processes_groups ?? []
  for (const [index, { id, questionnaires }] of references.groups.entries()) {
    const status = pairs.find(({ group }) => group.id === id)?.questionnaire_status
    const associate = async () => send(service, 'PUT', at(`/groups/${id}`))
    const isCreated = !known && index === 0 // with the person
    if (status) plan('informer_groups', `.groups[${index}]`, 'unchanged')
    else plan('informer_groups', `.groups[${index}]`, 'added', isCreated ? undefined : associate)
    for (const [number, questionnaire] of questionnaires.entries()) {
      const suffix = `.groups[${index}].completed[${number}]`
      const complete = async () => send(service, 'PUT', at(`/questionnaires/${questionnaire}`))
      if (status === 'Concluído') plan('informer_completions', suffix, 'unchanged')
      // of a group that is begun, the service does not tell which questionnaires are completed
      else
        plan(
          'informer_completions',
          suffix,
          status === 'Em andamento' ? 'repeated' : 'added',
          complete,
        )
    }
  }
  for (const { group } of person.groups_are_complete ? pairs : [])
    if (references.groups.every(({ id }) => id !== group.id))
      plan('informer_groups', '', 'removed', () =>
        send(service, 'DELETE', at(`/groups/${group.id}`)),
      )
  return steps
}

const KEY_FIELD = 'Idempotency-Key: '
/** Whether a key was used, with this content or other, for somebody who is not in the list any more. */
export const isDeleted = (error: unknown) =>
  error instanceof ServiceError &&
  (error.status === 409 || error.reasons.some((one) => one.startsWith(KEY_FIELD)))
