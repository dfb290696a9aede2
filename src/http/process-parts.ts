import type { Context } from 'hono'
import type { Actor } from '../database/audit-events.ts'
import type { Database } from '../database/client.ts'
import {
  type CheckedFields,
  createGroup,
  createProcess,
  createQuestionnaire,
  deletePart,
  findInvalidFields,
  updatePart,
} from '../database/process-changes.ts'
import { type Part, type Process, readProcess } from '../database/processes.ts'
import { CONSTRAINT_MESSAGES } from '../domain/process.ts'
import { type ApiError, errors } from './errors.ts'
import { actorOf } from './middleware/auth.ts'
import { resource } from './resource.ts'

type Messages = { noun: string; notFound: () => ApiError; inUse: () => ApiError }

/** A process, or a part of one. The responses have the whole process. */
function part<New extends object>(
  name: Part,
  messages: Messages,
  create: (db: Database, row: New & { id: string }, actor: Actor) => Promise<Process | null>,
  parent: { part: Part; column: keyof New; notFound: () => ApiError } | null = null,
) {
  const parentId = (c: Context) => (parent ? idOf(c, parent.part) : '')
  return resource({
    ...messages,
    messages: CONSTRAINT_MESSAGES,
    findInvalid: (c, fields: CheckedFields) =>
      findInvalidFields(c.get('db'), name, fields, { id: idOf(c, name), parentId: parentId(c) }),
    read: (c, id) => readProcess(c.get('db'), name, id),
    create: async (c, fields: New) => {
      const row = {
        ...fields,
        ...(parent && { [parent.column]: parentId(c) }),
        id: crypto.randomUUID(),
      }
      const created = await create(c.get('db'), row, actorOf(c))
      if (!created && parent && !(await readProcess(c.get('db'), parent.part, parentId(c))))
        throw parent.notFound()
      return created
    },
    update: (c, fields: Record<string, string>) =>
      updatePart(c.get('db'), name, idOf(c, name), fields, actorOf(c)),
    remove: (c) => deletePart(c.get('db'), name, idOf(c, name), actorOf(c)),
    toData: (process: Process) => process,
    toCreated: (data: Process) => ({ data }),
  })
}

/** The id of a part in the path: any text, or '' if the path has none. */
export const idOf = (c: Context, name: Part) => c.req.param(name)?.toLowerCase() ?? ''

export const process = part(
  'process',
  { noun: 'Processo', notFound: errors.processNotFound, inUse: errors.processHasInformers },
  createProcess,
)
export const group = part(
  'group',
  { noun: 'Grupo', notFound: errors.groupNotFound, inUse: errors.groupHasInformers },
  createGroup,
  { part: 'process', column: 'process_id', notFound: errors.processNotFound },
)
export const questionnaire = part(
  'questionnaire',
  {
    noun: 'Questionário',
    notFound: errors.questionnaireNotFound,
    inUse: errors.questionnaireCompleted,
  },
  createQuestionnaire,
  { part: 'group', column: 'group_id', notFound: errors.groupNotFound },
)
