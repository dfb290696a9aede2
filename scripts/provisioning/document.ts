import { en } from 'zod/locales'
import * as z from 'zod/mini'
import { createEntryBody } from '../../src/domain/changelog.ts'
import { requiredText } from '../../src/domain/fields.ts'
import { cpf, email, firstName, lastName, phone } from '../../src/domain/informer.ts'
import { password } from '../../src/domain/passwords.ts'

z.config(en()) // default messages

const name = requiredText('name', 255)
const description = requiredText('description', 2000)
const active = z._default(z.boolean(), true)
const flag = z._default(z.boolean(), false)
const state = z.string().check(z.regex(/^[A-Z]{2}$/, 'must be the two letters of a state'))
const color = z.string().check(z.regex(/^#[0-9a-f]{6}$/i, 'must be a hex color, such as #0D47A1'))

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

const { version, date, title, description: text, category } = createEntryBody.shape

/** How objects and lists are parsed. */
type Parsing = {
  object: <Shape extends z.core.$ZodShape>(
    shape: Shape,
    ...checks: z.core.$ZodCheck<{ email?: unknown; cpf?: unknown }>[]
  ) => z.ZodMiniObject<Shape, z.core.$strict>
  list: <Item extends z.core.$ZodType>(item: Item) => z.ZodMiniDefault<z.ZodMiniArray<Item>>
}

const documentSchema = ({ object, list }: Parsing) =>
  object({
    categories: list(object({ name, description, active })),
    treatment_pronouns: list(object({ name, description, active })),
    dioceses: list(object({ name, state, active })),
    processes: list(
      object({
        protocol: name,
        name,
        groups: list(object({ name, color, description, questionnaires: list(requiredText('title', 255)) })),
      }),
    ),
    administrators: list(object(person, isIdentified)),
    informers: list(
      object(
        {
          ...person,
          phone: z.optional(phone),
          treatment_pronoun: z.optional(name),
          category: z.optional(name),
          diocese: z.optional(name),
          groups: list(object({ protocol: name, group: name, completed: list(name) })),
          groups_are_complete: flag,
        },
        isIdentified,
      ),
    ),
    changelogs: list(object({ version, date, title, description: text, category, is_published: flag })),
  })

/**
 * A provisioning document. Rows have natural keys: a process its protocol, a group its process and name, a
 * questionnaire its group and title, a person an email or CPF, a changelog entry its version and title, all others
 * their name.
 */
const strictSchema = documentSchema({
  object: (shape, ...checks) => z.strictObject(shape).check(...(checks as [])),
  list: (item) => z._default(z.array(item), []),
})

/** Drops invalid values, so that the rest can still be checked against the database. */
const lenientSchema = documentSchema({
  object: (shape: z.core.$ZodShape) => {
    const fields = Object.entries(shape).map(([key, field]) => [key, z.catch(field, undefined)])
    const object = z.object(Object.fromEntries(fields))
    return z.catch(object, () => object.parse({}))
  },
  list: (item: z.core.$ZodType) => z.catch(z.array(z.catch(item, undefined)), []),
} as unknown as Parsing)

type Partially<Value> = Value extends (infer Item)[]
  ? Partially<Item>[]
  : Value extends object
    ? { [Key in keyof Value]: Partially<Value[Key]> }
    : Value | undefined

/** The valid part of a document; invalid values are undefined, or empty lists. */
export type Document = Partially<z.infer<typeof strictSchema>>

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

/** Parses a document into its valid part and the problems of the rest, by path. */
export function parseDocument(content: unknown): { document: Document; problems: string[] } {
  const issues = strictSchema.safeParse(content).error?.issues ?? []
  return {
    document: lenientSchema.parse(content),
    problems: issues.map(({ path, message }) => `${formatPath(path)}: ${message}`),
  }
}

/** Formats a path in JavaScript notation. */
function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return text.replace(/^\./, '') || 'document'
}
