import * as z from 'zod/mini'
import type { Service } from '../service/service-call.ts'
import { readList } from '../service/service-client.ts'
import { isApiToken } from '#domain/api-tokens.ts'
import { QUESTIONNAIRE_STATUSES } from '#domain/completion.ts'

const text = z.nullable(z.string())

const item = z.object({
  id: z.number(),
  name: z.string(),
  state: z.optional(z.string()),
  active: z.boolean(),
})

const group = z.object({ id: z.string(), name: z.string() })

const process = z.object({
  name: z.string(),
  protocol: z.string(),
  groups: z.array(group),
})

const membership = z.object({
  process: z.object({ name: z.string(), protocol: z.string() }),
  group,
  questionnaire_status: z.enum(QUESTIONNAIRE_STATUSES),
})

const user = z.object({
  id: z.string(),
  first_name: z.string(),
  last_name: text,
  full_name: z.string(),
  email: text,
  cpf: text,
  phone: text,
  img_url: text,
})

const informer = z.extend(user, {
  has_password: z.boolean(),
  updated_at: z.string(),
  category: z.nullable(item),
  treatment_pronoun: z.nullable(item),
  diocese: z.nullable(item),
  processes_groups: z.array(membership),
})

export type Item = z.infer<typeof item>
export type Process = z.infer<typeof process>
export type Membership = z.infer<typeof membership>
export type User = z.infer<typeof user>
export type Informer = z.infer<typeof informer>

/** The parts of the service's data that an import compares its rows with. */
export type State = Awaited<ReturnType<typeof readState>>

export const readInformers = (service: Service) =>
  readList(service, '/informers', informer)

/** Reads each list once. API tokens cannot read administrators. */
export async function readState(service: Service) {
  return {
    categories: await readList(service, '/categories', item),
    treatment_pronouns: await readList(service, '/treatment-pronouns', item),
    dioceses: await readList(service, '/dioceses', item),
    processes: await readList(service, '/processes', process),
    administrators: isApiToken(service.token ?? '')
      ? []
      : await readList(service, '/administrators', user),
    informers: await readInformers(service),
  }
}
