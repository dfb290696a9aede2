import leven from 'leven'
import { fold } from '../../src/domain/folding.ts'

/** The columns of a spreadsheet of informers: the heading of each, then other headings for it. */
const HEADINGS = {
  first_name: ['Nome'],
  last_name: ['Sobrenome'],
  full_name: ['Nome completo'],
  email: ['E-mail'],
  cpf: ['CPF'],
  phone: ['Telefone', 'Celular'],
  treatment_pronoun: ['Pronome', 'Tratamento', 'Pronome de tratamento'],
  category: ['Função', 'Categoria'],
  diocese: ['Diocese'],
  process: ['Processo', 'Protocolo'],
  group: ['Grupo'],
  password: ['Senha'],
  img_url: ['Foto'],
  require_email_verification: ['Confirmar e-mail'],
  questionnaire_status: ['Situação'],
  id: ['ID'],
  updated_at: ['Atualizado em'],
  reason: ['Motivo'],
} as const

export type Column = keyof typeof HEADINGS
const COLUMNS = Object.keys(HEADINGS) as Column[]

const without = (...columns: Column[]) => COLUMNS.filter((column) => !columns.includes(column))

export const EXPORTED_COLUMNS: Column[] = [
  'id',
  ...without('id', 'full_name', 'password', 'require_email_verification', 'reason'),
]

/** What an office fills in. */
export const TEMPLATE_COLUMNS = without(
  'id',
  'full_name',
  'questionnaire_status',
  'updated_at',
  'reason',
)

/** The heading of a column, or of the field with its id; or the name of another field. */
export const headingOf = (field: string): string =>
  HEADINGS[field.replace(/_id$/, '') as Column]?.[0] ?? field

/** Without case, accents, hyphens and the like. */
const normalize = (heading: string) => fold(heading).replace(/[^a-z0-9]/g, '')

const BY_HEADING = new Map(
  COLUMNS.flatMap((column) =>
    [column, ...HEADINGS[column]].map((name) => [normalize(name), column] as const),
  ),
)

/** The column of a heading in Portuguese, or of the name of a field. */
const columnOf = (heading: string) => BY_HEADING.get(normalize(heading))

/** How many columns a row of headings names. */
export const countColumns = (cells: string[]) => new Set(cells.map(columnOf).filter(Boolean)).size

/**
 * The columns of a row of headings; undefined where a cell is blank.
 * @throws naming every heading that is unknown, with the nearest known one, or repeated
 */
export function parseHeadings(cells: string[]): (Column | undefined)[] {
  const columns = cells.map(columnOf)
  const problems = cells.flatMap((_, at) => problemOf(cells, columns, at) ?? [])
  if (!columns.includes('first_name') && !columns.includes('full_name'))
    problems.push('falta a coluna "Nome" ou "Nome completo"')
  if (problems.length === 0) return columns

  const known = Object.values(HEADINGS).flat().join(', ')
  throw new Error(`${problems.join('; ')}. As colunas são: ${known}`)
}

function problemOf(
  cells: string[],
  columns: (Column | undefined)[],
  at: number,
): string | undefined {
  const cell = cells[at] ?? ''
  const column = columns[at]
  if (!column && cell.trim() === '') return undefined
  if (!column) return `a coluna "${cell}" é desconhecida (seria "${nearest(cell, columns)}"?)`

  const first = columns.indexOf(column)
  return first === at ? undefined : `as colunas "${cells[first]}" e "${cell}" são a mesma`
}

/** The most similar heading of a column that is not there yet. */
function nearest(heading: string, present: (Column | undefined)[]): string {
  const distance = (name: string) => leven(normalize(name), normalize(heading))
  const absent = COLUMNS.filter((column) => !present.includes(column))
  return absent
    .flatMap((column): readonly string[] => HEADINGS[column])
    .reduce((best, name) => (distance(name) < distance(best) ? name : best), 'Nome')
}
