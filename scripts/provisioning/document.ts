import { en } from 'zod/locales'
import * as z from 'zod/mini'
import { createEntryBody } from '../../src/domain/changelog.ts'
import { cpf, email, firstName, lastName, phone } from '../../src/domain/informer.ts'
import { password } from '../../src/domain/passwords.ts'
import { createGroupBody, createQuestionnaireBody } from '../../src/domain/process.ts'
import { createDescribedBody, createDioceseBody } from '../../src/domain/reference.ts'

z.config(en()) // default messages

const flag = z._default(z.boolean(), false)
const list = <Item extends z.ZodMiniType>(item: Item) => z._default(z.array(item), [])

const { name, description } = createDescribedBody.shape
const { title } = createQuestionnaireBody.shape

/** What is left out of an item of a list stays as it is. */
const item = { name, previous_name: z.optional(name), active: z.optional(z.boolean()) }
const described = z.strictObject({ ...item, description: z.optional(description) })

const person = {
  first_name: firstName,
  last_name: z.optional(lastName),
  email: z.optional(email),
  previous_email: z.optional(email),
  cpf: z.optional(cpf),
  password: z.optional(password),
  allow_same_name: flag,
}
const isIdentified = z.refine<{ email?: unknown; cpf?: unknown }>(
  (user) => user.email !== undefined || user.cpf !== undefined,
  'an email or a CPF is required',
)

/**
 * A provisioning document. Everything has a natural key: a category or treatment pronoun its name, a diocese its name
 * and state, a process its protocol, a group its process and name, a questionnaire its group and title, a person an
 * email or CPF, a changelog entry its version and title.
 */
const documentSchema = z.strictObject({
  categories: list(described),
  treatment_pronouns: list(described),
  dioceses: list(z.strictObject({ ...item, state: z.optional(createDioceseBody.shape.state) })),
  processes: list(
    z.strictObject({
      protocol: name,
      name,
      groups: list(z.strictObject({ ...createGroupBody.shape, questionnaires: list(title) })),
    }),
  ),
  administrators: list(z.strictObject(person).check(isIdentified)),
  informers: list(
    z
      .strictObject({
        ...person,
        phone: z.optional(phone),
        treatment_pronoun: z.optional(name),
        category: z.optional(name),
        diocese: z.optional(name),
        groups: list(z.strictObject({ protocol: name, group: name, completed: list(name) })),
        groups_are_complete: flag,
      })
      .check(isIdentified),
  ),
  changelogs: list(z.strictObject(createEntryBody.shape)),
})

export type Document = z.infer<typeof documentSchema>
export type ListItem = Document['categories'][number] & Document['dioceses'][number]
export type Person = Document['administrators'][number] &
  Partial<Document['informers'][number]> & {
    img_url?: string | null
    require_email_verification?: boolean | null
  }

/** The problems of a document, one per line: `informers[3].cpf: O CPF informado é inválido.` */
export class DocumentError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`the document is invalid, nothing was changed:\n${problems.join('\n')}`)
    this.problems = problems
  }
}

/**
 * Parses the JSON text of a document.
 *
 * @throws {DocumentError} if it is not JSON
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) // byte order mark of Windows editors
  } catch (error) {
    throw new DocumentError([`not JSON: ${(error as Error).message}`])
  }
}

/**
 * Checks the form of a document.
 *
 * @throws {DocumentError} with every problem and its path
 */
export function parseDocument(content: unknown): Document {
  const { data, error } = documentSchema.safeParse(content)
  if (data) return data
  throw new DocumentError(error.issues.map(({ path, message }) => `${formatPath(path)}: ${message}`))
}

/** Formats a path in JavaScript notation. */
function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return text.replace(/^\./, '') || 'document'
}
