import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { callService, type Service } from '../service/service-call.ts'
import { send } from '../service/service-client.ts'
import { isRefusal } from '../service/service-error.ts'
import { type Decision, messageAt, refuse } from './decisions.ts'

const createdForm = z.object({ email_verification_required: z.boolean() })

/**
 * Carries out a decision.
 * @returns the same, or a refusal by the service
 * @throws for errors that end the run: a lost connection, a token that has ended
 */
export async function carryOut(service: Service, decision: Decision): Promise<Decision> {
  try {
    if (decision.kind === 'new') return await createInformer(service, decision)
    if (decision.kind === 'known') {
      for (const groupId of decision.groupIds) {
        await send(service, 'PUT', `/informers/${decision.id}/groups/${groupId}`)
      }
    }
    return decision
  } catch (error) {
    if (!isRefusal(error)) throw error

    const problems = error.reasons.map((reason) => {
      const [, field = '', problem = reason] = /^(\w+): (.*)$/.exec(reason) ?? []
      return messageAt(decision.rows, field, problem)
    })
    return refuse(decision, problems)
  }
}

async function createInformer(
  service: Service,
  decision: Extract<Decision, { kind: 'new' }>,
): Promise<Decision> {
  const { email_verification_required } = await callService(
    service,
    {
      method: 'POST',
      path: '/informers',
      body: decision.body,
      headers: { 'Idempotency-Key': randomUUID() }, // a retry creates nobody twice
    },
    createdForm,
  )
  return {
    ...decision,
    getsNoMail: decision.getsNoMail && !email_verification_required,
  }
}
