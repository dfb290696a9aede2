import type * as z from 'zod/mini'
import { type Column, headingOf } from '../columns.ts'
import type { TableRow, Texts } from '../reading/table.ts'
import { isCpf } from '#domain/cpf.ts'
import { fold } from '#domain/folding.ts'
import { UUID } from '#http/request/fields.ts'
import { createInformerBody } from '#routes/informers/schemas.ts'

/** An informer as rows describe them, with references by name. */
export type Person = z.infer<typeof createInformerBody> & {
  treatment_pronoun?: string | undefined
  category?: string | undefined
  diocese?: string | undefined
  groups: Membership[]
}

/** A group, and the line of the row that names it. */
type Membership = { protocol: string; group: string; line: number }

const TRUE = /^(true|verdadeiro|sim)$/
const FALSE = /^(false|falso|nao)$/

/** Whom a row means, as far as its cells can be read. */
export type Identity = {
  email?: string | null | undefined
  cpf?: string | null | undefined
  /** The folded name, if it alone identifies the person. */
  name?: string | undefined
}

const { shape } = createInformerBody

type Parsed = {
  /** The person's name in reports. */
  name: string
  identity: Identity
  person?: Person
  problems: string[]
  notes: string[]
}

/** Checks a row by the service's rules for a new informer. */
export function toPerson(row: TableRow): Parsed {
  const { texts, line } = row
  const names = parseNames(texts)
  const { cpf, notes } = parseCpf(texts.cpf)
  const { first_name, last_name } = names
  const { data, error } = createInformerBody.safeParse({
    ...texts,
    first_name,
    last_name,
    cpf,
    require_email_verification: parseFlag(texts.require_email_verification),
  })

  const fullName = [first_name, last_name].filter(Boolean).join(' ')
  const parsed: Parsed = {
    name: fullName || texts.email || 'sem nome',
    identity: {
      email: shape.email.safeParse(texts.email).data,
      cpf: shape.cpf.safeParse(cpf).data,
      name: names.problems.length > 0 ? undefined : identifyingName(row, fullName),
    },
    problems: [...names.problems],
    notes,
  }
  for (const { path, message } of error?.issues ?? []) {
    parsed.problems.push(describe(String(path[0]), texts, message))
  }
  parsed.problems.push(...problemsOfReferences(texts))
  if (data && parsed.problems.length === 0) {
    parsed.person = { ...data, ...referencesOf(texts, line) }
  }
  return parsed
}

/** The columns that decide before a name does, and those of the name itself. */
const IDENTIFIERS = ['id', 'email', 'cpf'] as const
const NAMES = ['first_name', 'last_name', 'full_name'] as const

/** Returns the folded name of a row without ID, email and CPF. */
function identifyingName({ texts, faulty }: TableRow, name: string): string | undefined {
  const isIdentified = IDENTIFIERS.some((column) => texts[column])
  const isUncertain = [...IDENTIFIERS, ...NAMES].some((column) => faulty.includes(column))
  return isIdentified || isUncertain ? undefined : fold(name) || undefined
}

function problemsOfReferences(texts: Texts): string[] {
  const { id, process, group } = texts
  const problems: string[] = []
  if (id && !UUID.test(id)) problems.push(describe('id', texts, 'não é um ID'))
  if (group && !process) problems.push('Processo: obrigatório com um grupo')
  if (process && !group) problems.push('Grupo: obrigatório com um processo')
  return problems
}

function referencesOf(texts: Texts, line: number) {
  const { treatment_pronoun, category, diocese, process, group } = texts
  const membership = process && group && { protocol: process, group, line }
  return {
    treatment_pronoun,
    category,
    diocese,
    groups: membership ? [membership] : [],
  }
}

/** Describes the problem of a field, with its value unless that is a password. */
function describe(field: string, texts: Texts, message: string): string {
  const value = field === 'password' ? undefined : texts[field as Column]
  const shown = value ? ` "${value}"` : ''
  return `${headingOf(field)}${shown}: ${message}`
}

/** Divides a full name at its first space. If its parts are given too, they must match. */
function parseNames(texts: Texts) {
  const { full_name = '' } = texts
  const [first = '', ...rest] = full_name.split(/\s+/)
  const last = texts.first_name === undefined ? rest.join(' ') : ''
  const first_name = texts.first_name ?? first
  const last_name = texts.last_name ?? last

  const assembled = `${first_name} ${last_name}`.trim()
  const problems: string[] = []
  if (full_name && fold(full_name) !== fold(assembled)) {
    const message = `é outro que Nome e Sobrenome, "${assembled}"`
    problems.push(describe('full_name', texts, message))
  }
  return { first_name, last_name, problems }
}

/**
 * Returns the digits of a CPF, with leading zeros that a number lost if the check digits then
 * match.
 */
function parseCpf(text?: string): { cpf?: string; notes: string[] } {
  if (text === undefined) return { notes: [] }

  const digits = text.replace(/[.\s\p{Pd}]/gu, '')
  const completed = digits.padStart(11, '0')
  // digits alone: a spreadsheet program writes 1.234.567.032 for other numbers
  const hasLostZeros = /^\d{9,10}$/.test(text) && isCpf(completed)
  if (!hasLostZeros) return { cpf: digits, notes: [] }

  return {
    cpf: completed,
    notes: [`CPF "${text}" completado com zeros: ${completed}`],
  }
}

/** Parses yes or no; any other text is left for the service's rules to refuse. */
function parseFlag(text = ''): boolean | string | undefined {
  const folded = fold(text)
  if (TRUE.test(folded)) return true
  if (FALSE.test(folded)) return false
  return text || undefined
}
