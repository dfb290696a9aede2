import { fold } from '../../../src/domain/folding.ts'
import { fullName } from '../../../src/domain/names.ts'
import { texts } from '../../lib/language.ts'
import type { Service } from '../service/service-call.ts'
import { create, send } from '../service/service-client.ts'
import { ServiceError } from '../service/service-error.ts'
import type { Person } from './document.ts'
import { nameOf, REFERENCE_FIELDS, type References } from './lists.ts'
import { planMemberships } from './memberships.ts'
import { type State, type User, writtenUser } from './state.ts'
import { describeDifference, differing, type Step } from './steps.ts'

/** The users of a service, as far as known. */
export type People = Pick<State, 'administrators' | 'informers'>
export type Role = keyof People

/** Returns a full name without case and accents. */
export const foldedName = ({
  first_name,
  last_name = null,
}: Pick<Person, 'first_name' | 'last_name'>) => fold(fullName({ first_name, last_name }))

/**
 * Finds the user who has the email or the CPF of a person.
 * To avoid merging people, it is a problem if these belong to several users, or if both the name
 * and an identifier of the user differ.
 */
export function userFinder({ administrators, informers }: People) {
  const byIdentifier = new Map(
    [...administrators, ...informers].flatMap((user) =>
      [user.email, user.cpf].map((id) => [id, user] as const),
    ),
  )
  return (person: Person, role: Role): { known?: User; problem?: string } => {
    const identifiers = [person.email, person.cpf].filter((id) => id != null)
    const [known, ...others] = new Set(
      identifiers.flatMap((id) => byIdentifier.get(id) ?? []),
    )
    if (!known) return {}
    if (others.length > 0) return { known, problem: texts.differentPeople }
    if (!{ administrators, informers }[role].includes(known)) {
      return { known, problem: role === 'informers' ? texts.otherRole : texts.isInformer }
    }
    return isSomebodyElse(person, known)
      ? { known, problem: texts.somebodyElse }
      : { known }
  }
}

/** The name and an identifier both differ: more likely a mistake than a correction. */
export function isSomebodyElse(person: Person, user: User): boolean {
  const last_name = person.last_name ?? user.last_name
  const isRenamed = foldedName({ ...person, last_name }) !== foldedName(user)
  return isRenamed && (differs(person.email, user.email) || differs(person.cpf, user.cpf))
}

const differs = (one: string | null | undefined, other: string | null) =>
  Boolean(one && other && one !== other)

export type Planned = {
  person: Person
  known: User | undefined
  references: References
}
type Plan = Planned & {
  path: string
  role: Role
  recreate: boolean
  /** The id of a deleted person who is created again. */
  formerId?: string | undefined
}

/** A changed field of a person: the value to send, and the values to show. */
type Change = { field: string; sent: unknown; before: unknown; after: unknown }

/**
 * Returns the fields that differ from those of a known user. A password differs only if there is
 * none.
 */
export function personChanges({ person, known, references }: Planned): Change[] {
  const { first_name, last_name, email, cpf, phone, img_url } = person
  const password = known?.has_password ? null : person.password
  const fields = { first_name, last_name, email, cpf, phone, img_url, password }
  const own = Object.entries(differing(fields, known ?? {})).map(([field, after]) => {
    const before = known?.[field as keyof User]
    return { field, sent: after, before, after }
  })

  const ofLists = REFERENCE_FIELDS.flatMap((field) => {
    const item = references.items[field]
    const former = known?.[field]
    if (!item || (item.id && item.id === former?.id)) return []
    const names = { before: nameOf(former), after: nameOf(item) }
    return { field: `${field}_id`, sent: item.id, ...names }
  })
  return [...own, ...ofLists]
}

/** Returns a line for a change, never with a password. */
function describeChange(path: string, { field, before, after }: Change): string {
  if (field === 'password') return `${path}.password: falta no serviço`
  return describeDifference(`${path}.${field.replace(/_id$/, '')}`, before, after)
}

/**
 * Plans a person: first the person, then their groups in order, and the completions in them.
 * @param plan.recreate creates the person even if they were deleted within the week
 */
export function planPerson(service: Service, plan: Plan): Step[] {
  const { path, role, known } = plan
  const row = { table: 'users', path }
  const changes = personChanges(plan)
  const body = Object.fromEntries(changes.map(({ field, sent }) => [field, sent]))
  let id = known?.id
  const urlOf = (suffix: string) => `/${role}/${id}${suffix}`
  const memberships = planMemberships(service, path, plan, urlOf)

  if (!known) {
    const add = async () => {
      id = await addPerson(service, plan, body)
    }
    return [{ ...row, kind: 'added', send: add }, ...memberships]
  }
  const differences = changes.map((change) => describeChange(path, change))
  if (differences.length === 0) return [{ ...row, kind: 'unchanged' }, ...memberships]

  const update = () => updatePerson(service, urlOf(''), plan, body)
  return [{ ...row, kind: 'differing', differences, send: update }, ...memberships]
}

/**
 * Creates a person with all their groups, and returns the id.
 * @throws {ServiceError} for example if an earlier run created them and they have become somebody
 *   else
 */
async function addPerson(
  service: Service,
  { person, role, references, recreate, formerId }: Plan,
  changes: object,
): Promise<string> {
  const { email, cpf, require_email_verification } = person
  const groups = references.groups.map(({ id }) => id)
  const group_ids = role === 'informers' ? groups : undefined
  const body = { ...changes, group_ids, require_email_verification }
  const identity = `${role} ${formerId ?? cpf ?? email ?? fullName(person)}`
  const path = `/${role}`
  const refusal = (message: string) =>
    new ServiceError(service.baseUrl + path, 422, { message })
  const user = await create(service, path, body, writtenUser, identity).catch((error) => {
    if (isKeyReused(error)) throw refusal(CREATED_OTHERWISE)
    if (!recreate || !isDeleted(error)) throw error
    return create(service, path, body, writtenUser)
  })

  const isSame =
    foldedName(user) === foldedName(person) &&
    user.email === (email ?? null) &&
    user.cpf === (cpf ?? null)
  if (isSame) return user.id

  const now = [fullName(user), user.email, user.cpf].filter(Boolean).join(', ')
  throw refusal(`foi cadastrado com estes dados, e agora é ${now}`)
}

async function updatePerson(
  service: Service,
  url: string,
  { person: { password }, known }: Plan,
  { password: _, ...fields }: Record<string, unknown>,
): Promise<void> {
  let hasPassword = known?.has_password
  if (Object.keys(fields).length > 0) {
    const user = await send(service, 'PATCH', url, fields, writtenUser)
    hasPassword = user.has_password // a new email may have ended the old one
  }
  if (password && !hasPassword) {
    await send(service, 'PATCH', url, { password })
  }
}

/** Returns whether the person created by an earlier request was deleted. */
export const isDeleted = (error: unknown) =>
  error instanceof ServiceError && error.status === 409

const CREATED_OTHERWISE =
  'foi cadastrado há menos de uma semana com outros dados, ' +
  'e excluído ou alterado depois: confira no serviço'
const KEY_FIELD = 'Idempotency-Key: '

/**
 * Returns whether an earlier request for the same person had other fields: their outcome is
 * unknown.
 */
const isKeyReused = (error: unknown) =>
  error instanceof ServiceError &&
  error.reasons.some((reason) => reason.startsWith(KEY_FIELD))
