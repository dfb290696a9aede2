import { en } from 'zod/locales'
import * as z from 'zod/mini'
import { fold } from '../../src/domain/folding.ts'
import { createEntryBody } from '../../src/routes/changelogs/schemas.ts'
import { createInformerBody } from '../../src/routes/informers/schemas.ts'
import {
  createGroupBody,
  createProcessBody,
  createQuestionnaireBody,
} from '../../src/routes/processes/schemas.ts'
import {
  createDescribedBody,
  updateDescribedBody,
  updateDioceseBody,
} from '../../src/routes/reference-lists/schemas.ts'

z.config(en()) // default messages

const flag = z._default(z.boolean(), false)
const list = <Item extends z.ZodMiniType>(item: Item) => z._default(z.array(item), [])

const { name } = createDescribedBody.shape
const { protocol } = createProcessBody.shape
const { first_name, last_name, email, cpf, phone, img_url, password } =
  createInformerBody.shape
const reference = z.optional(name)

/** What is left out of an item of a list stays as it is. */
const described = z.strictObject({
  ...updateDescribedBody.shape,
  name,
  previous_name: reference,
})
const located = z.strictObject({
  ...updateDioceseBody.shape,
  name,
  previous_name: reference,
})

const group = z.strictObject({
  ...createGroupBody.shape,
  questionnaires: list(createQuestionnaireBody.shape.title),
})
const process = z.strictObject({
  protocol,
  name,
  groups: list(group),
})

const person = {
  first_name,
  last_name,
  email,
  cpf,
  password,
  previous_email: email,
  allow_same_name: flag,
}
const isIdentified = z.refine<{
  email?: unknown
  cpf?: unknown
}>((user) => user.email != null || user.cpf != null, 'an email or a CPF is required')
const administrator = z.strictObject(person).check(isIdentified)

const membership = z.strictObject({
  protocol: name,
  group: name,
  completed: list(name),
})
const informer = z
  .strictObject({
    ...person,
    phone,
    img_url,
    treatment_pronoun: reference,
    category: reference,
    diocese: reference,
    groups: list(membership),
    groups_are_complete: flag,
  })
  .check(isIdentified)

const entry = z.strictObject(createEntryBody.shape)

const anyRows = z.optional(z.array(z.unknown()))
const outline = z.strictObject({
  categories: anyRows,
  treatment_pronouns: anyRows,
  dioceses: anyRows,
  processes: anyRows,
  administrators: anyRows,
  informers: anyRows,
  changelogs: anyRows,
})

/** A row of a document, and where it stands: `informers[3]`. */
export type Placed<Row> = {
  path: string
  row: Row
}

export type ListItem = z.infer<typeof described> & z.infer<typeof located>
export type ProcessRow = z.infer<typeof process>
export type EntryRow = z.infer<typeof entry>
export type Person = z.infer<typeof administrator> &
  Partial<z.infer<typeof informer>> & { require_email_verification?: boolean | null }

/**
 * A provisioning document. Everything has a natural key: a category or treatment pronoun its name,
 * a diocese its name and state, a process its protocol, a group its process and name, a
 * questionnaire its group and title, a person an email or CPF, a changelog entry its version and
 * title.
 */
export type Document = {
  categories: Placed<ListItem>[]
  treatment_pronouns: Placed<ListItem>[]
  dioceses: Placed<ListItem>[]
  processes: Placed<ProcessRow>[]
  administrators: Placed<Person>[]
  informers: Placed<Person>[]
  changelogs: Placed<EntryRow>[]
}

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

/** What could be read of a document. */
export type Parsed = {
  /** The rows whose form is right. */
  document: Document
  /** What is wrong with the form of the others. */
  problems: string[]
  /** The folded texts of the others: what they name may be there once they are corrected. */
  doubtful: Set<string>
}

/** Checks the form of a document, row by row. */
export function parseDocument(content: unknown): Parsed {
  const problems = (outline.safeParse(content).error?.issues ?? []).map(toProblem)
  const doubtful = new Set<string>()

  function parseRows<Row>(
    table: keyof Document,
    schema: z.ZodMiniType<Row>,
  ): Placed<Row>[] {
    const rows: unknown = (content as Record<string, unknown> | null)?.[table]
    if (!Array.isArray(rows)) {
      return []
    }

    return rows.flatMap((row, at) => {
      const { success, data, error } = schema.safeParse(row)
      if (success) {
        return [{ path: `${table}[${at}]`, row: data }]
      }

      for (const { path, message } of error.issues) {
        problems.push(toProblem({ path: [table, at, ...path], message }))
      }
      for (const text of textsIn(row)) {
        doubtful.add(fold(text.trim()))
      }
      return []
    })
  }

  const document = {
    categories: parseRows('categories', described),
    treatment_pronouns: parseRows('treatment_pronouns', described),
    dioceses: parseRows('dioceses', located),
    processes: parseRows('processes', process),
    administrators: parseRows('administrators', administrator),
    informers: parseRows('informers', informer),
    changelogs: parseRows('changelogs', entry),
  }
  return {
    document,
    problems,
    doubtful,
  }
}

const toProblem = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  `${z.core.toDotPath(path) || 'document'}: ${message}`

/** Every text in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return [value]
  }
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(textsIn)
    : []
}
