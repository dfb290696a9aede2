import { fold } from '#domain/folding.ts'

/** The columns of a spreadsheet of informers, with their headings. */
const HEADINGS = {
  first_name: 'Nome',
  last_name: 'Sobrenome',
  email: 'E-mail',
  cpf: 'CPF',
  phone: 'Telefone',
  treatment_pronoun: 'Pronome',
  category: 'Função',
  diocese: 'Diocese',
  process: 'Processo',
  group: 'Grupo',
  password: 'Senha',
  img_url: 'Foto',
  require_email_verification: 'Confirmar e-mail',
  questionnaire_status: 'Situação',
} as const

export type Column = keyof typeof HEADINGS
export const COLUMNS = Object.keys(HEADINGS) as Column[]

export const headingOf = (column: Column): string => HEADINGS[column]

/** Returns the column of a request's field: `diocese` of `diocese_id`. */
export function columnOf(field: string): Column | undefined {
  const name = field.replace(/_ids?$/, '')
  return COLUMNS.find((column) => column === name)
}

/**
 * Reads a row of headings.
 * @returns the columns by their place, counted from 0
 * @throws {Error} naming the first wrong heading, and all columns
 */
export function parseHeadings(headings: string[]): Map<number, Column> {
  const columns = new Map<number, Column>()
  const found = new Set<Column>()
  const refuse = (problem: string): Error =>
    new Error(
      `${problem}. Na primeira linha, os títulos são: ${Object.values(HEADINGS).join(', ')}`,
    )

  for (const [at, text] of headings.entries()) {
    if (text === '') continue

    const folded = fold(text)
    const column = COLUMNS.find((each) => fold(HEADINGS[each]) === folded)
    if (!column) throw refuse(`a coluna ${quote(text)} é desconhecida`)
    if (found.has(column)) throw refuse(`a coluna ${quote(text)} está duas vezes`)
    columns.set(at, column)
    found.add(column)
  }
  if (!found.has('first_name')) throw refuse('falta a coluna "Nome"')
  return columns
}

const MAX_SHOWN = 60

/** What cannot be seen, or not told from a blank. */
const UNSEEN = /\r\n|(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu
const NAMES: Record<string, string> = {
  '\t': 'tabulação',
  '\n': 'quebra de linha',
  '\r': 'quebra de linha',
  '\r\n': 'quebra de linha',
}
const codeOf = (character: string) =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`

/** Quotes the beginning of a text, and names the characters that cannot be seen. */
export function quote(text: string): string {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return `"${shown.replace(UNSEEN, (found) => `[${NAMES[found] ?? codeOf(found)}]`)}"`
}
