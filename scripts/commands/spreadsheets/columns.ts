import { fold } from '#domain/folding.ts'

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

function without(...columns: Column[]): Column[] {
  return COLUMNS.filter((column) => !columns.includes(column))
}

export const EXPORTED_COLUMNS: Column[] = [
  'id',
  ...without('id', 'full_name', 'password', 'require_email_verification', 'reason'),
]

/** The columns that an office fills in. */
export const TEMPLATE_COLUMNS = without(
  'id',
  'full_name',
  'questionnaire_status',
  'updated_at',
  'reason',
)

/** Returns the heading of a column, or of the field with its ids; otherwise the field's name. */
export function headingOf(field: string): string {
  const column = field.replace(/_ids?$/, '') as Column
  return HEADINGS[column]?.[0] ?? field
}

/** Removes case, accents, hyphens and the like. */
function normalize(heading: string): string {
  return fold(heading).replace(/[^a-z0-9]/g, '')
}

const BY_HEADING = new Map<string, Column>()
for (const column of COLUMNS) {
  for (const name of [column, ...HEADINGS[column]]) {
    BY_HEADING.set(normalize(name), column)
  }
}

/** Returns the column of a heading in Portuguese, or of a field's name. */
export function columnOf(heading: string): Column | undefined {
  return BY_HEADING.get(normalize(heading))
}

/** Returns how many columns a row of headings names. */
export function countColumns(cells: string[]): number {
  const columns = cells.map(columnOf).filter(Boolean)
  return new Set(columns).size
}

/** The columns of headings; undefined where one is blank. */
export type Columns = (Column | undefined)[]

/**
 * Reads a row of headings.
 * @throws {Error} naming every unknown or repeated heading
 */
export function parseHeadings(cells: string[]): Columns {
  const columns = cells.map(columnOf)
  const problems = cells
    .map((_, at) => problemOf(cells, columns, at))
    .filter((problem) => problem !== undefined)
  if (!columns.includes('first_name') && !columns.includes('full_name')) {
    problems.push('falta a coluna "Nome" ou "Nome completo"')
  }
  if (problems.length === 0) return columns

  const known = Object.values(HEADINGS).flat().join(', ')
  throw new Error(`${problems.join('; ')}. As colunas são: ${known}`)
}

function problemOf(cells: string[], columns: Columns, at: number): string | undefined {
  const cell = cells[at] ?? ''
  const column = columns[at]
  if (!column) {
    if (cell.trim() === '') return undefined
    return `a coluna "${cell}" é desconhecida`
  }

  const first = columns.indexOf(column)
  if (first === at) return undefined
  return `as colunas "${cells[first]}" e "${cell}" são a mesma`
}
