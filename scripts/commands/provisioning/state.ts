import * as z from 'zod/mini'
import { isApiToken } from '../../../src/domain/api-tokens.ts'
import { QUESTIONNAIRE_STATUSES } from '../../../src/domain/completion.ts'
import type { Service } from '../service/service-call.ts'
import { readList } from '../service/service-client.ts'
import type { Document } from './document.ts'
import { pathOf } from './steps.ts'

const text = z.nullable(z.string())

const itemSchema = z.object({
  id: z.number(),
  name: z.string(),
  description: z.optional(z.string()),
  state: z.optional(z.string()),
  active: z.boolean(),
})

const questionnaireSchema = z.object({ id: z.string(), title: z.string() })

const groupSchema = z.object({
  id: z.string(),
  name: z.string(),
  color: z.string(),
  description: z.string(),
  questionnaires: z.array(questionnaireSchema),
})

export const processSchema = z.object({
  id: z.string(),
  name: z.string(),
  protocol: z.string(),
  groups: z.array(groupSchema),
})

const membershipSchema = z.object({
  process: z.object({ id: z.string(), name: z.string(), protocol: z.string() }),
  group: z.object({ id: z.string(), name: z.string() }),
  questionnaire_status: z.enum(QUESTIONNAIRE_STATUSES),
  questionnaires: z.array(z.object({ id: z.string(), completed_at: text })),
})

/** An informer or an administrator, who has no references and no groups. */
export const userSchema = z.object({
  id: z.string(),
  first_name: z.string(),
  last_name: text,
  full_name: z.string(),
  email: text,
  cpf: text,
  phone: text,
  img_url: text,
  has_password: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  category: z.optional(z.nullable(itemSchema)),
  treatment_pronoun: z.optional(z.nullable(itemSchema)),
  diocese: z.optional(z.nullable(itemSchema)),
  processes_groups: z.optional(z.array(membershipSchema)),
})

/** A created or updated user. */
export const writtenUser = z.object({
  id: z.string(),
  first_name: z.string(),
  last_name: text,
  email: text,
  cpf: text,
  has_password: z.optional(z.boolean()),
})

const entrySchema = z.object({
  version: z.string(),
  date: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.string(),
  is_published: z.boolean(),
  git_commit_hash: text,
})

/** A row without an id is one that a document will add. */
type Planned<Row extends { id: unknown }> = Omit<Row, 'id'> & Partial<Pick<Row, 'id'>>

export type Item = Planned<z.infer<typeof itemSchema>>
type Questionnaire = Planned<z.infer<typeof questionnaireSchema>>
type Group = Planned<Omit<z.infer<typeof groupSchema>, 'questionnaires'>> & {
  questionnaires: Questionnaire[]
}
export type Process = Planned<Omit<z.infer<typeof processSchema>, 'groups'>> & {
  groups: Group[]
}
export type Entry = z.infer<typeof entrySchema>
export type User = z.infer<typeof userSchema>
export type Lists = Awaited<ReturnType<typeof readLists>>
export type State = Awaited<ReturnType<typeof readState>>

export const LISTS = ['categories', 'treatment_pronouns', 'dioceses'] as const

type Rows = readonly unknown[] | undefined
type Needs = { [Part in keyof Document]?: Rows }

/** Reads a list if any row needs it. */
async function readIf<Row>(
  service: Service,
  path: string,
  row: z.ZodMiniType<Row>,
  ...needs: Rows[]
): Promise<Row[]> {
  const isNeeded = needs.some((rows) => rows?.length)
  return isNeeded ? readList(service, path, row) : []
}

/** Reads the lists that a document has, or that its informers may refer to. */
export async function readLists(service: Service, { informers, ...lists }: Needs) {
  const read = (list: (typeof LISTS)[number]): Promise<Item[]> =>
    readIf(service, pathOf(list), itemSchema, informers, lists[list])
  const processes: Process[] = await readIf(
    service,
    '/processes',
    processSchema,
    informers,
    lists.processes,
  )
  return {
    categories: await read('categories'),
    treatment_pronouns: await read('treatment_pronouns'),
    dioceses: await read('dioceses'),
    processes,
  }
}

/** Reads the rows to compare a document with. API tokens cannot read administrators. */
export async function readState(service: Service, document: Needs) {
  const { administrators, informers, changelogs } = document
  const readPeople = (path: string) =>
    readIf(service, path, userSchema, administrators, informers)
  return {
    ...(await readLists(service, document)),
    administrators: isApiToken(service.token ?? '')
      ? []
      : await readPeople('/administrators'),
    informers: await readPeople('/informers'),
    changelogs: await readIf(service, '/changelogs', entrySchema, changelogs),
  }
}
