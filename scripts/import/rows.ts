import { isCpf } from '../../src/domain/cpf.ts'
import { fold } from '../../src/domain/folding.ts'
import { createInformerBody } from '../../src/domain/informer.ts'
import type { Person } from '../provisioning/document.ts'
import { type Column, headingOf } from './columns.ts'
import type { SpreadsheetRow } from './spreadsheet.ts'

/** What the rows of one person say: the person, or what is wrong. */
export type Entry = {
  lines: number[]
  name: string
  person?: Person
  /** Whether first and last name were one cell. */
  isNameSplit: boolean
  problems: string[]
  notes: string[]
}

const TRUE = /^(true|verdadeiro|sim)$/
const FALSE = /^(false|falso|nao)$/

/** Checks rows by the rules of the service, and brings the rows of one person together: one row for each group. */
export function toEntries(rows: SpreadsheetRow[]): Entry[] {
  const entries: Entry[] = []
  const byIdentity = new Map<string, Entry>()
  for (const entry of rows.map(toEntry)) {
    const identities = entry.person ? identitiesOf(entry.person) : []
    const first = identities.map((identity) => byIdentity.get(identity)).find(Boolean)
    if (!first) for (const identity of identities) byIdentity.set(identity, entry)
    if (first && addGroup(first, entry)) first.lines.push(...entry.lines)
    else entries.push(entry)
  }
  return entries
}

/** Adds the group of another row of a person to the first one; or says what is wrong with that row, and returns false. */
function addGroup({ person: first, lines: [line] }: Entry, { person, problems }: Entry): boolean {
  const [group] = person?.groups ?? []
  const hasGroup = first?.groups?.some((known) => JSON.stringify(known) === JSON.stringify(group))
  if (!first || !person || comparable(first) !== comparable(person))
    problems.push(`a mesma pessoa da linha ${line}, com outros dados`)
  else if (!group || hasGroup) problems.push(`igual à linha ${line}`)
  else first.groups?.push(group)
  return problems.length === 0
}

/** The fields of a person; the lists ignore case and accents in the names that refer to them. */
const comparable = ({ treatment_pronoun, category, diocese, groups: _, ...fields }: Person) =>
  JSON.stringify([fields, [treatment_pronoun, category, diocese].map((name) => name && fold(name))])

function toEntry({ line, cells, problem }: SpreadsheetRow): Entry {
  const [first = '', ...rest] = (cells.full_name ?? '').trim().split(/\s+/)
  const { first_name = first, last_name = rest.join(' '), email } = cells
  const name = [first_name, last_name].filter(Boolean).join(' ') || email || 'sem nome'
  const isNameSplit = cells.first_name === undefined
  const entry: Entry = {
    lines: [line],
    name,
    isNameSplit,
    problems: problem ? [problem] : [],
    notes: [],
  }
  if (problem) return entry
  const cpf = cells.cpf === undefined ? undefined : completeCpf(cells.cpf.replace(/[.\s-]/g, ''))
  if (cpf !== undefined && cpf.length > (cells.cpf?.replace(/\D/g, '').length ?? 0))
    entry.notes.push(`CPF "${cells.cpf}" completado com zeros: ${cpf}`)
  const flag = fold(cells.require_email_verification?.trim() ?? '')
  const require_email_verification =
    TRUE.test(flag) || (FALSE.test(flag) ? false : cells.require_email_verification)
  const result = createInformerBody.safeParse({
    ...cells,
    first_name,
    last_name,
    cpf,
    require_email_verification,
  })
  for (const { path, message } of result.error?.issues ?? []) {
    const field = String(path[0])
    const value = field === 'password' ? undefined : cells[field as Column]
    entry.problems.push(`${headingOf(field)}${value ? ` "${value}"` : ''}: ${message}`)
  }
  const { treatment_pronoun, category, diocese, process, group } = cells
  if (group && !process) entry.problems.push('Processo: obrigatório com um grupo')
  if (process && !group) entry.problems.push('Grupo: obrigatório com um processo')
  if (!result.data || entry.problems.length > 0) return entry
  const groups = process && group ? [{ protocol: process, group, completed: [] }] : []
  const others = { treatment_pronoun, category, diocese, groups, allow_same_name: true }
  return { ...entry, person: { ...result.data, ...others } }
}

/** With the zeros that a number has lost, where the check digits then agree. */
function completeCpf(digits: string): string {
  const filled = digits.padStart(11, '0')
  return /^\d{9,10}$/.test(digits) && isCpf(filled) ? filled : digits
}

/** What no two people share: the email and the CPF, or else the name. */
const identitiesOf = ({ email, cpf, first_name, last_name }: Person) =>
  email || cpf
    ? [email, cpf].filter((value) => value != null)
    : [fold(`${first_name} ${last_name ?? ''}`)]
