import { isCpf } from '../../src/domain/cpf.ts'
import { fold } from '../../src/domain/folding.ts'
import { createInformerBody } from '../../src/domain/informer.ts'
import type { Person } from '../provisioning/document.ts'
import { type Column, headingOf } from './columns.ts'
import type { Texts } from './table.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const TRUE = /^(true|verdadeiro|sim)$/
const FALSE = /^(false|falso|nao)$/

type Parsed = {
  /** What to call the person in a report. */
  name: string
  person?: Person
  problems: string[]
  notes: string[]
}

/** Checks the texts of a row by the rules by which the service creates an informer. */
export function toPerson(texts: Texts): Parsed {
  const { treatment_pronoun, category, diocese, process, group } = texts
  const { first_name, last_name, ...names } = parseNames(texts)
  const { cpf, notes } = parseCpf(texts.cpf)
  const { data, error } = createInformerBody.safeParse({
    ...texts,
    first_name,
    last_name,
    cpf,
    require_email_verification: parseFlag(texts.require_email_verification),
  })

  const name = [first_name, last_name].filter(Boolean).join(' ') || texts.email || 'sem nome'
  const problems = [...names.problems]
  for (const { path, message } of error?.issues ?? [])
    problems.push(describe(String(path[0]), texts, message))
  if (texts.id && !UUID.test(texts.id)) problems.push(describe('id', texts, 'não é um ID'))
  if (group && !process) problems.push('Processo: obrigatório com um grupo')
  if (process && !group) problems.push('Grupo: obrigatório com um processo')

  const parsed = { name, problems, notes }
  if (!data || problems.length > 0) return parsed

  const person: Person = {
    ...data,
    treatment_pronoun,
    category,
    diocese,
    groups: process && group ? [{ protocol: process, group, completed: [] }] : [],
    allow_same_name: true,
  }
  return { ...parsed, person }
}

/** A problem of a field with its value, unless that is a password. */
function describe(field: string, texts: Texts, message: string): string {
  const value = field === 'password' ? undefined : texts[field as Column]
  return `${headingOf(field)}${value ? ` "${value}"` : ''}: ${message}`
}

/** A full name is divided at its first space. Where it stands beside its parts, it has to be theirs. */
function parseNames({ full_name = '', first_name, last_name }: Texts) {
  const [first = '', ...rest] = full_name.split(/\s+/)
  const ofParts = first_name === undefined ? rest.join(' ') : ''
  const names = { first_name: first_name ?? first, last_name: last_name ?? ofParts }

  const assembled = `${names.first_name} ${names.last_name}`
  const isSame = full_name === '' || comparableName(assembled) === comparableName(full_name)
  const problem = `Nome completo "${full_name}": é outro que Nome e Sobrenome, "${assembled.trim()}"`
  return { ...names, problems: isSame ? [] : [problem] }
}

const comparableName = (name: string) => fold(name).trim().split(/\s+/).join(' ')

/** The digits of a CPF, with the zeros that a number has lost, where the check digits then agree. */
function parseCpf(text?: string): { cpf?: string; notes: string[] } {
  if (text === undefined) return { notes: [] }

  const digits = text.replace(/[.\s\p{Pd}]/gu, '')
  const cpf = digits.padStart(11, '0')
  if (!/^\d{9,10}$/.test(digits) || !isCpf(cpf)) return { cpf: digits, notes: [] }
  return { cpf, notes: [`CPF "${text}" completado com zeros: ${cpf}`] }
}

/** Yes or no; what is neither, the service's rules refuse. */
function parseFlag(text = ''): boolean | string | undefined {
  const folded = fold(text)
  if (TRUE.test(folded)) return true
  if (FALSE.test(folded)) return false
  return text || undefined
}
