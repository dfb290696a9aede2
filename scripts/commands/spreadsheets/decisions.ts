import { columnOf } from './columns.ts'
import { describe, type Row, type Texts } from './rows.ts'
import { type Informer, LISTS, type Lookup, lookupOf, type State } from './state.ts'
import { fold } from '#domain/folding.ts'
import { fullName } from '#domain/names.ts'
import { createInformerBody } from '#routes/informers/schemas.ts'

/** A message about a row. */
export type Message = { line: number; text: string }

type Person = { rows: Row[]; name: string }

/** The decision about a person's rows, with its messages and those of a dry run alone. */
export type Decision = Person & { messages: Message[]; previews: Message[] } & (
    | { kind: 'refused' }
    | { kind: 'known'; id: string; groupIds: string[] }
    | { kind: 'new'; body: object; getsNoMail: boolean }
  )

/** Decides about each person of a spreadsheet. @param state the service's data */
export function decide(rows: Row[], state: State): Decision[] {
  const lookup = lookupOf(state)
  return joinRows(rows, lookup).map((ofPerson) => decideOne(ofPerson, lookup))
}

/** Joins the rows of one CPF or email, in the file or in the service. */
function joinRows(rows: Row[], { informersOf }: Lookup): Row[][] {
  const people = new Set<Row[]>()
  const byIdentifier = new Map<string, Row[]>()
  const identifiersOf = (row: Row): string[] => {
    const ids = informersOf(row).map(({ id }) => id)
    return [row.texts.cpf, row.texts.email, ...ids].filter((id) => id !== undefined)
  }

  for (const row of rows) {
    const found = identifiersOf(row).map((identifier) => byIdentifier.get(identifier))
    const [person = [], ...others] = new Set(found.filter((each) => each !== undefined))
    const joining = [...others.flat(), row]
    person.push(...joining)
    for (const identifier of joining.flatMap(identifiersOf)) {
      byIdentifier.set(identifier, person)
    }
    for (const other of others) people.delete(other)
    people.add(person)
  }
  return [...people].map((person) =>
    person.toSorted((one, other) => one.line - other.line),
  )
}

function decideOne(rows: Row[], lookup: Lookup): Decision {
  const [informer, another] = new Set(rows.flatMap(lookup.informersOf))
  const { texts, ofIdentity, ofDetails } = merge(rows)
  const name = nameOf(texts) || informer?.full_name || texts.email || 'sem nome'
  const person = { rows, name }

  const problems = [...toMessages(rows, (row) => row.problems), ...ofIdentity]
  if (informer && another) {
    const names = `${informer.full_name} e ${another.full_name}`
    problems.push(...toMessages(rows, () => [`o CPF e o e-mail são de ${names}`]))
  }
  if (problems.length > 0) return refuse(person, problems)
  if (informer) return decideKnown(person, texts, informer, lookup)
  return ofDetails.length > 0
    ? refuse(person, ofDetails)
    : decideNew(person, texts, lookup)
}

const CONTRADICTION = 'uma linha anterior com o mesmo CPF ou e-mail diz outra coisa'

/** Merges the texts of rows, and collects those that differ from an earlier row. */
function merge(rows: Row[]) {
  const texts: Texts = {}
  const ofIdentity: Message[] = []
  const ofDetails: Message[] = []
  for (const row of rows) {
    const { process, group, ...own } = row.texts
    for (const [column, text] of Object.entries(own) as [keyof typeof own, string][]) {
      const first = (texts[column] ??= text)
      const isList = LISTS.some((list) => list === column)
      if (isList ? fold(first) === fold(text) : first === text) continue

      const problems = column === 'cpf' || column === 'email' ? ofIdentity : ofDetails
      problems.push({ line: row.line, text: describe(column, text, CONTRADICTION) })
    }
  }
  return { texts, ofIdentity, ofDetails }
}

const nameOf = ({ first_name = '', last_name = '' }: Texts) =>
  fullName({ first_name, last_name })

function toMessages(rows: Row[], textsOf: (row: Row) => string[]): Message[] {
  return rows.flatMap((row) => textsOf(row).map((text) => ({ line: row.line, text })))
}

const notesOf = (rows: Row[]) => toMessages(rows, ({ notes }) => notes)

/** Refuses all rows of a person. */
export function refuse({ rows, name }: Person, problems: Message[]): Decision {
  const lines = new Set(problems.map(({ line }) => line))
  const others = rows.filter(({ line }) => !lines.has(line))
  const because = toMessages(others, () => [`recusada com a linha ${problems[0]?.line}`])
  const messages = [...notesOf(rows), ...problems, ...because]
  return { kind: 'refused', rows, name, messages, previews: [] }
}

/** Adds missing groups to a known informer, and changes nothing else. */
function decideKnown(
  person: Person,
  texts: Texts,
  { id, full_name, processes_groups }: Informer,
  lookup: Lookup,
): Decision {
  const { rows } = person
  const { groups, problems } = groupsOf(rows, lookup)
  const otherNames = toMessages(rows, (row) => {
    // a row may leave the last name to another one, or have the full name in one cell
    const names = [nameOf(row.texts), nameOf({ ...texts, ...row.texts })]
    const isOther = !names.some((name) => fold(name || full_name) === fold(full_name))
    return isOther ? [describe('first_name', names[0], `no cadastro é ${full_name}`)] : []
  })
  problems.push(...otherNames)
  if (problems.length > 0) return refuse(person, problems)

  const present = new Set(processes_groups.map(({ group }) => group.id))
  const missing = groups.filter((group) => !present.has(group.id))
  const told = missing.map(({ line, label }) => {
    return { line, text: `já cadastrado, novo grupo: ${label}` }
  })
  const lines = new Set(told.map(({ line }) => line))
  const silent = rows.filter(({ line }) => !lines.has(line))
  return {
    ...person,
    kind: 'known',
    id,
    groupIds: [...new Set(missing.map((group) => group.id))],
    messages: [...notesOf(rows), ...told],
    previews: toMessages(silent, () => ['já cadastrado']),
  }
}

/** With what spreadsheet programs make of a checkbox. */
const ANSWERS: Record<string, boolean> = {
  sim: true,
  true: true,
  verdadeiro: true,
  nao: false,
  false: false,
  falso: false,
}

/** Checks a new person by the service's own rules. */
function decideNew(person: Person, texts: Texts, lookup: Lookup): Decision {
  const { rows } = person
  const { groups, problems } = groupsOf(rows, lookup)
  const { treatment_pronoun, category, diocese, ...fields } = texts
  const answer = texts.require_email_verification
  const require_email_verification = answer && ANSWERS[fold(answer)]
  if (answer && require_email_verification === undefined) {
    problems.push(messageAt(rows, 'require_email_verification', 'deve ser sim ou não'))
  }
  const group_ids = [...new Set(groups.map(({ id }) => id))]
  const body: Record<string, unknown> = {
    ...fields,
    require_email_verification,
    group_ids,
  }
  for (const list of LISTS) {
    const item = texts[list] && lookup[list](texts[list])
    if (typeof item === 'string') problems.push(messageAt(rows, list, item))
    else body[`${list}_id`] = item?.id
  }
  const { error } = createInformerBody.safeParse(body)
  for (const { path, message } of error?.issues ?? []) {
    problems.push(messageAt(rows, String(path[0]), message))
  }
  if (problems.length > 0) return refuse(person, problems)

  const { email, password } = texts
  const getsNoMail = Boolean(email) && !password && require_email_verification !== true
  const previews = toMessages(rows, () => ['novo'])
  return { ...person, kind: 'new', body, getsNoMail, messages: notesOf(rows), previews }
}

/** Finds the groups that rows name, in their order. */
function groupsOf(rows: Row[], lookup: Lookup) {
  const groups: { line: number; id: string; label: string }[] = []
  const problems: Message[] = []
  for (const { line, texts } of rows) {
    if (texts.process === undefined || texts.group === undefined) continue

    const group = lookup.group(texts.process, texts.group)
    if (typeof group === 'string') problems.push({ line, text: group })
    else groups.push({ line, ...group })
  }
  return { groups, problems }
}

/** Returns a message about a request's field, with the line that its text comes from. */
export function messageAt(rows: Row[], field: string, problem: string): Message {
  const column = columnOf(field)
  const source = rows.find(({ texts }) => column && texts[column] !== undefined)
  const line = source?.line ?? rows[0]?.line ?? 0
  const text = column ? describe(column, source?.texts[column], problem) : problem
  return { line, text }
}
