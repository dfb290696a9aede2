import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import { forEachConcurrently } from '../../lib/concurrency.ts'
import { callService, type Service } from '../service/service-call.ts'
import { send } from '../service/service-client.ts'
import { isRefusal, ServiceError } from '../service/service-error.ts'
import { headingOf } from './columns.ts'
import { type Changes, fieldsOf } from './deciding/changes.ts'
import { type Decision, type Outcome, refused } from './deciding/decisions.ts'
import { type Entry, foldedName } from './deciding/people.ts'
import type { Person } from './deciding/person.ts'
import type { References } from './state.ts'
import { fullName } from '#domain/names.ts'

export type Outcomes = Map<Entry, Outcome>

const created = z.object({
  data: z.object({
    id: z.string(),
    first_name: z.string(),
    last_name: z.nullable(z.string()),
    email: z.nullable(z.string()),
    cpf: z.nullable(z.string()),
  }),
  email_verification_required: z.boolean(),
})

const updated = z.object({ has_password: z.boolean() })

type Work = {
  service: Service
  /** For the keys of creations. */
  secret: string
  /** Outcomes, added as soon as they are known. */
  outcomes: Outcomes
  onProgress: () => void
}

/**
 * Carries out decisions. Safe to repeat, also after an interruption.
 * @throws for errors that end the run: an error response other than a refusal, a lost connection
 */
export async function carryOut(
  decisions: Map<Entry, Decision>,
  { service, secret, outcomes, onProgress }: Work,
): Promise<void> {
  await forEachConcurrently([...decisions], async ([entry, decision]) => {
    const request = carryOutOne(service, secret, decision)
    outcomes.set(entry, await request.catch(toOutcome))
    onProgress()
  })
}

async function carryOutOne(
  service: Service,
  secret: string,
  decision: Decision,
): Promise<Outcome> {
  if (decision.kind === 'created') {
    const mustVerify = await createInformer(service, secret, decision)
    return { ...decision, gotNoMail: decision.gotNoMail && !mustVerify }
  }
  if (decision.kind === 'changed') {
    const { known, changes, person } = decision
    await updateInformer(service, known.id, changes, person.password)
  }
  return decision
}

/** @throws the error, if it ends the run */
function toOutcome(error: unknown): Outcome {
  if (!isRefusal(error)) throw error
  if (error.status === 409) {
    return { kind: 'deleted', messages: ['foi excluído há menos de uma semana'] }
  }

  const reasons = error.reasons.map((reason) => reason.replace(/^\w+(?=: )/, headingOf))
  return refused(...reasons)
}

const CREATED_OTHERWISE =
  'foi cadastrado há menos de uma semana com outros dados, ' +
  'e excluído ou alterado depois: confira no serviço'
const KEY_FIELD = 'Idempotency-Key: '

/**
 * Creates a person with all their groups. Safe to repeat: for a week, a person has the same key.
 * @returns whether they must confirm their email, which depends on a setting too
 * @throws {ServiceError} for example if an earlier run created them and they have become somebody
 *   else
 */
async function createInformer(
  service: Service,
  secret: string,
  { person, references }: { person: Person; references: References },
): Promise<boolean> {
  const { email = null, cpf = null, require_email_verification } = person
  const group_ids = references.groupIds
  const fields = fieldsOf(person, references)
  const body = { ...fields, group_ids, require_email_verification }
  const path = '/informers'
  const refusal = (message: string) =>
    new ServiceError(service.baseUrl + path, 422, { message })

  // a log of requests must not tell who is consulted, so the hash of a CPF needs a secret
  const identity = cpf ?? email ?? fullName(person)
  const key = createHmac('sha256', secret).update(identity).digest('hex')
  const call = {
    method: 'POST',
    path,
    body,
    headers: { 'Idempotency-Key': key },
  } as const
  const { data: user, email_verification_required } = await callService(
    service,
    call,
    created,
  ).catch((error) => {
    throw isKeyReused(error) ? refusal(CREATED_OTHERWISE) : error
  })

  const isSame =
    foldedName(user) === foldedName(person) && user.email === email && user.cpf === cpf
  if (isSame) return email_verification_required

  const now = [fullName(user), user.email, user.cpf].filter(Boolean).join(', ')
  throw refusal(`foi cadastrado com estes dados, e agora é ${now}`)
}

/**
 * Returns whether an earlier request for the same person had other fields: their outcome is
 * unknown.
 */
const isKeyReused = (error: unknown) =>
  error instanceof ServiceError &&
  error.reasons.some((reason) => reason.startsWith(KEY_FIELD))

/** Updates the fields of a person that differ, and adds the missing groups, in order. */
export async function updateInformer(
  service: Service,
  id: string,
  { fields, groupIds }: Changes,
  password?: string | null,
): Promise<void> {
  const path = `/informers/${id}`
  if (Object.keys(fields).length > 0) {
    const { has_password } = await send(service, 'PATCH', path, fields, updated)
    // a new email may have ended a password that came by a link
    if (password && !has_password) await send(service, 'PATCH', path, { password })
  }
  for (const groupId of groupIds) {
    await send(service, 'PUT', `${path}/groups/${groupId}`)
  }
}
