import type { Context } from 'hono'
import type * as z from 'zod/mini'
import { remove, update } from '../database/process-changes.ts'
import { type CheckedFields, findInvalidFields } from '../database/process-names.ts'
import { type Part, type Process, readProcess } from '../database/processes.ts'
import { CONSTRAINT_MESSAGES } from '../domain/process.ts'
import { errors, type FieldErrors } from './errors.ts'
import { idempotency, refusal } from './idempotency.ts'
import { type AuthEnv, actorOf } from './middleware/auth.ts'
import { nestedField, validBody } from './middleware/validation.ts'

// What the routes of processes, groups and questionnaires share. Each responds with the whole process.

const PARTS = {
  process: { label: 'Processo', notFound: errors.processNotFound, inUse: errors.processHasInformers },
  group: { label: 'Grupo', notFound: errors.groupNotFound, inUse: errors.groupHasInformers },
  questionnaire: {
    label: 'Questionário',
    notFound: errors.questionnaireNotFound,
    inUse: errors.questionnaireCompleted,
  },
}
const PARENTS = { process: null, group: 'process', questionnaire: 'group' } as const

/** The id of a part in the path: any text, or '' if the path has none. */
export const idOf = (c: Context, part: Part) => c.req.param(part)?.toLowerCase() ?? ''

/** Validates a body, by the database too. */
export const validPart = <Schema extends z.ZodMiniObject>(schema: Schema, part: Part) =>
  validBody(
    schema,
    async (fields, c) => ({ ...c.get('idempotencyErrors'), ...(await constraintErrors(c, part, fields)) }),
    nestedField,
  )

async function constraintErrors(c: Context, part: Part, fields: CheckedFields): Promise<FieldErrors> {
  const parent = PARENTS[part]
  const among = { id: idOf(c, part), parentId: parent ? idOf(c, parent) : '' }
  const invalid = await findInvalidFields(c.get('db'), part, fields, among)
  return Object.fromEntries(invalid.map((field) => [field, [CONSTRAINT_MESSAGES[field]]]))
}

/** For a POST: see `idempotency`. */
export const idempotentPart = (part: Part) =>
  idempotency(async (c, id) => {
    const process = await readProcess(c.get('db'), part, id)
    return process && created(c, part, process)
  })

/** Responds to a POST. @throws 404 if there is no parent, 422 if another request was faster */
export async function respondCreated(c: Context, part: Part, process: Process | null, fields: CheckedFields) {
  if (process) return created(c, part, process)
  const parent = PARENTS[part]
  if (parent && !(await readProcess(c.get('db'), parent, idOf(c, parent)))) throw PARTS[parent].notFound()
  throw refusal(c, await constraintErrors(c, part, fields))
}

function created(c: Context, part: Part, data: Process) {
  return c.json({ success: true, data, message: `${PARTS[part].label} criado com sucesso.` }, 201)
}

/** Responds to a PATCH. @throws 404, or 422 if another request was faster */
export async function respondUpdated(c: Context, part: Part, fields: Record<string, string>) {
  const data = await update(c.get('db'), part, idOf(c, part), fields, actorOf(c as Context<AuthEnv>))
  if (!data) throw PARTS[part].notFound()
  if (data === 'refused') throw refusal(c, await constraintErrors(c, part, fields))
  return c.json({ success: true, data, message: `${PARTS[part].label} atualizado com sucesso.` })
}

/** Responds to a DELETE. @throws 404, or 409 where informers refer to the part */
export async function respondRemoved(c: Context, part: Part) {
  const removed = await remove(c.get('db'), part, idOf(c, part), actorOf(c as Context<AuthEnv>))
  if (!removed) throw PARTS[part].notFound()
  if (removed === 'refused') throw PARTS[part].inUse()
  return c.json({ success: true, message: `${PARTS[part].label} excluído com sucesso.` })
}
