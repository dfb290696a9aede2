import { en } from 'zod/locales'
import * as z from 'zod/mini'
import { createEntryBody } from '../../src/domain/changelog.ts'
import { requiredText } from '../../src/domain/fields.ts'
import { cpf, email, firstName, lastName, password, phone } from '../../src/domain/informer.ts'

z.config(en()) // the reasons for what has no text of its own

const name = requiredText('name', 255)
const description = requiredText('description', 2000)
const active = z._default(z.boolean(), true)
const list = <Schema extends z.ZodMiniType>(item: Schema) => z._default(z.array(item), [])

const described = z.strictObject({ name, description, active })
const diocese = z.strictObject({
  name,
  state: z.string().check(z.regex(/^[A-Z]{2}$/, 'must be the two letters of a state')),
  active,
})

const group = z.strictObject({
  name,
  color: z.string().check(z.regex(/^#[0-9a-f]{6}$/i, 'must be a hex colour, as #0D47A1')),
  description,
  questionnaires: list(requiredText('title', 255)),
})
const process = z.strictObject({ protocol: name, name, groups: list(group) })

const person = {
  first_name: firstName,
  last_name: z.optional(lastName),
  email: z.optional(email),
  cpf: z.optional(cpf),
  password: z.optional(password),
}
const identified = z.refine<{ email?: string | undefined; cpf?: string | undefined }>(
  (user) => user.email !== undefined || user.cpf !== undefined,
  'needs an email or a CPF to be known by',
)
const administrator = z.strictObject(person).check(identified)
const informer = z
  .strictObject({
    ...person,
    phone: z.optional(phone),
    treatment_pronoun: z.optional(name),
    category: z.optional(name),
    diocese: z.optional(name),
    groups: list(z.strictObject({ protocol: name, group: name, completed: list(name) })),
  })
  .check(identified)

const entry = z.strictObject({
  version: createEntryBody.shape.version,
  date: createEntryBody.shape.date,
  title: createEntryBody.shape.title,
  description: createEntryBody.shape.description,
  category: createEntryBody.shape.category,
  is_published: z._default(z.boolean(), false),
})

/**
 * A provisioning document: everything that an office lays into the service other than through its API.
 * Things are known by natural keys: a process by its protocol, a group by process and name, a questionnaire
 * by group and title, a person by email or CPF, a changelog entry by version and title, everything else by name.
 */
export const provisioningDocument = z.strictObject({
  categories: list(described),
  treatment_pronouns: list(described),
  dioceses: list(diocese),
  processes: list(process),
  administrators: list(administrator),
  informers: list(informer),
  changelogs: list(entry),
})

export type ProvisioningDocument = z.infer<typeof provisioningDocument>

/** What is wrong with a document, a line a place: `informers[3].cpf: O CPF informado é inválido.` */
export class DocumentError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * Reads a document from its JSON text.
 *
 * @throws {DocumentError} naming every path that is wrong, with the reason
 */
export function parseDocument(text: string): ProvisioningDocument {
  let content: unknown
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, '')) // the mark that editors on Windows begin a file with
  } catch (error) {
    throw new DocumentError([`not JSON: ${(error as Error).message}`])
  }
  const result = provisioningDocument.safeParse(content)
  if (result.success) return result.data
  throw new DocumentError(result.error.issues.map(({ path, message }) => `${written(path)}: ${message}`))
}

/** A path as one would write it in JavaScript. */
function written(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return text.replace(/^\./, '') || 'document'
}
