import { ptBR } from 'zod/locales'
import * as z from 'zod/mini'
import { createEntryBody } from '#routes/changelogs/schemas.ts'
import { createInformerBody } from '#routes/informers/schemas.ts'
import {
  createGroupBody,
  createProcessBody,
  createQuestionnaireBody,
} from '#routes/processes/schemas.ts'
import { active, description, name, state } from '#routes/reference-lists/schemas.ts'

z.config(ptBR()) // default messages

const list = <Item extends z.ZodMiniType>(item: Item) => z._default(z.array(item), [])

const described = z.strictObject({ name, description, active: z.nullish(active) })
const located = z.strictObject({ name, state, active: z.nullish(active) })

const group = z.strictObject({
  ...createGroupBody.shape,
  questionnaires: list(createQuestionnaireBody.shape.title),
})
const { protocol } = createProcessBody.shape
const process = z.strictObject({ protocol, name, groups: list(group) })

const { first_name, last_name, email, cpf, phone, password } = createInformerBody.shape
const administrator = z
  .strictObject({ first_name, last_name, email, cpf, phone, password })
  .check(z.refine((person) => person.email != null, 'falta o email'))

const entry = z.strictObject(createEntryBody.shape)

/**
 * A provisioning document. Everything has a natural key: a category or treatment pronoun its name,
 * a diocese its name and state, a process its protocol, a group its process and name, a
 * questionnaire its group and title, an administrator the email, a changelog entry its version and
 * title.
 */
const documentSchema = z.strictObject({
  categories: list(described),
  treatment_pronouns: list(described),
  dioceses: list(located),
  processes: list(process),
  administrators: list(administrator),
  changelogs: list(entry),
})

export type Document = z.infer<typeof documentSchema>

/** The problems of a document, one per line: `dioceses[3].name: O campo nome é obrigatório.` */
export class DocumentError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`o documento tem erros, e nada foi enviado:\n${problems.join('\n')}`)
    this.problems = problems
  }
}

/** Parses the JSON text of a document. @throws {DocumentError} if it is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) // byte order mark of Windows editors
  } catch (error) {
    throw new DocumentError([`não é JSON: ${(error as Error).message}`])
  }
}

/** Checks the form of a document. @throws {DocumentError} with all problems */
export function parseDocument(content: unknown): Document {
  const { success, data, error } = documentSchema.safeParse(content)
  if (success) return data

  const problems = error.issues.map(
    ({ path, message }) => `${z.core.toDotPath(path) || 'documento'}: ${message}`,
  )
  throw new DocumentError(problems)
}
