import { en } from 'zod/locales'
import * as z from 'zod/mini'
import { createEntryBody } from '../../src/domain/changelog.ts'
import { createInformerBody } from '../../src/domain/informer.ts'
import {
  createGroupBody,
  createProcessBody,
  createQuestionnaireBody,
} from '../../src/domain/process.ts'
import {
  createDescribedBody,
  updateDescribedBody,
  updateDioceseBody,
} from '../../src/domain/reference.ts'

z.config(en()) // default messages

const flag = z._default(z.boolean(), false)
const list = <Item extends z.ZodMiniType>(item: Item) => z._default(z.array(item), [])

const { name } = createDescribedBody.shape
const reference = z.optional(name)

/** What is left out of an item of a list stays as it is. */
const described = list(
  z.strictObject({ ...updateDescribedBody.shape, name, previous_name: reference }),
)
const located = list(z.strictObject({ ...updateDioceseBody.shape, name, previous_name: reference }))

const group = z.strictObject({
  ...createGroupBody.shape,
  questionnaires: list(createQuestionnaireBody.shape.title),
})
const { protocol } = createProcessBody.shape

const { first_name, last_name, email, cpf, phone, img_url, password } = createInformerBody.shape
const person = {
  first_name,
  last_name,
  email,
  cpf,
  password,
  previous_email: email,
  allow_same_name: flag,
}
const references = { treatment_pronoun: reference, category: reference, diocese: reference }
const membership = z.strictObject({ protocol: name, group: name, completed: list(name) })
const memberships = { groups: list(membership), groups_are_complete: flag }
const isIdentified = z.refine<{ email?: unknown; cpf?: unknown }>(
  (user) => user.email != null || user.cpf != null,
  'an email or a CPF is required',
)

/**
 * A provisioning document. Everything has a natural key: a category or treatment pronoun its name, a diocese its name
 * and state, a process its protocol, a group its process and name, a questionnaire its group and title, a person an
 * email or CPF, a changelog entry its version and title.
 */
const documentSchema = z.strictObject({
  categories: described,
  treatment_pronouns: described,
  dioceses: located,
  processes: list(z.strictObject({ protocol, name, groups: list(group) })),
  administrators: list(z.strictObject(person).check(isIdentified)),
  informers: list(
    z
      .strictObject({ ...person, phone, img_url, ...references, ...memberships })
      .check(isIdentified),
  ),
  changelogs: list(z.strictObject(createEntryBody.shape)),
})

export type Document = z.infer<typeof documentSchema>
export type ListItem = Document['categories'][number] & Document['dioceses'][number]
export type Person = Document['administrators'][number] &
  Partial<Document['informers'][number]> & { require_email_verification?: boolean | null }

/** The problems of a document, one per line: `informers[3].cpf: O CPF informado é inválido.` */
export class DocumentError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`the document is invalid, nothing was changed:\n${problems.join('\n')}`)
    this.problems = problems
  }
}

/** Parses the JSON text of a document. @throws {DocumentError} if it is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) // byte order mark of Windows editors
  } catch (error) {
    throw new DocumentError([`not JSON: ${(error as Error).message}`])
  }
}

/** Checks the form of a document. @throws {DocumentError} with every problem and its path */
export function parseDocument(content: unknown): Document {
  const { data, error } = documentSchema.safeParse(content)
  if (data) return data
  throw new DocumentError(
    error.issues.map(({ path, message }) => `${z.core.toDotPath(path) || 'document'}: ${message}`),
  )
}
