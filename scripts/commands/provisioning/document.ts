import { ptBR } from 'zod/locales'
import * as z from 'zod/mini'
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

/**
 * A provisioning document. Everything has a natural key: a category or treatment pronoun its name,
 * a diocese its name and state, a process its protocol, a group its process and name, a
 * questionnaire its group and title.
 */
const documentSchema = z.strictObject({
  categories: list(described),
  treatment_pronouns: list(described),
  dioceses: list(located),
  processes: list(process),
})

export type Document = z.infer<typeof documentSchema>

/** The problems of a document, one per line: `dioceses[3].name: O campo nome é obrigatório.` */
class DocumentError extends Error {
  constructor(...problems: string[]) {
    super(`o documento tem erros, e nada foi enviado:\n${problems.join('\n')}`)
  }
}

/** Reads the bytes of a document. @throws {DocumentError} with all problems of its form */
export function parseDocument(bytes: Uint8Array): Document {
  const { success, data, error } = documentSchema.safeParse(parseJson(bytes))
  if (success) return data

  const problems = error.issues.map(
    ({ path, message }) => `${z.core.toDotPath(path) || 'documento'}: ${message}`,
  )
  throw new DocumentError(...problems)
}

/** In another encoding, texts would lose letters. */
function parseJson(bytes: Uint8Array): unknown {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch (error) {
    throw new DocumentError(`não é JSON em UTF-8: ${(error as Error).message}`)
  }
}
