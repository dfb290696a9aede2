import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { Service } from '../service/service-call.ts'
import { create, send } from '../service/service-client.ts'
import { ServiceError } from '../service/service-error.ts'
import { changedFields, fieldsOf, type Plan } from './changes.ts'
import { foldedName } from './matching.ts'
import { fullName } from '#domain/names.ts'

const created = z.object({
  id: z.string(),
  first_name: z.string(),
  last_name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  cpf: z.nullable(z.string()),
})

const updated = z.object({ has_password: z.boolean() })

type NewPlan = Omit<Plan, 'known'> & {
  /** The ID of the person's rows, whom nobody has any more. */
  formerId?: string | undefined
  /** Whether a person who was deleted within the week is created again. */
  recreate: boolean
}

/**
 * Creates a person with all their groups. Safe to repeat.
 * @throws {ServiceError} for example if an earlier run created them and they have become somebody
 *   else
 */
export async function createInformer(
  service: Service,
  { person, references, formerId, recreate }: NewPlan,
): Promise<void> {
  const { email = null, cpf = null, require_email_verification } = person
  const group_ids = references.groupIds
  const fields = fieldsOf(person, references)
  const body = { ...fields, group_ids, require_email_verification }
  const identity = `informers ${formerId ?? cpf ?? email ?? fullName(person)}`
  const key = createHash('sha256').update(identity).digest('hex')
  const path = '/informers'
  const refusal = (message: string) =>
    new ServiceError(service.baseUrl + path, 422, { message })

  const user = await create(service, path, body, created, key).catch((error) => {
    if (isKeyReused(error)) throw refusal(CREATED_OTHERWISE)
    if (!recreate || !isDeleted(error)) throw error
    return create(service, path, body, created)
  })

  const isSame =
    foldedName(user) === foldedName(person) && user.email === email && user.cpf === cpf
  if (isSame) return

  const now = [fullName(user), user.email, user.cpf].filter(Boolean).join(', ')
  throw refusal(`foi cadastrado com estes dados, e agora é ${now}`)
}

/** Updates the fields of a person that differ, and adds the missing groups, in order. */
export async function updateInformer(service: Service, plan: Plan): Promise<void> {
  const { person, known, references } = plan
  const url = `/informers/${known.id}`
  const changes = changedFields(plan).map(({ field, sent }) => [field, sent])
  if (changes.length > 0) {
    const { has_password } = await send(
      service,
      'PATCH',
      url,
      Object.fromEntries(changes),
      updated,
    )
    // a new email may have ended a password that came by a link
    const { password } = person
    if (password && !has_password) await send(service, 'PATCH', url, { password })
  }

  const knownIds = known.processes_groups.map(({ group }) => group.id)
  for (const id of references.groupIds) {
    if (!knownIds.includes(id)) await send(service, 'PUT', `${url}/groups/${id}`)
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
