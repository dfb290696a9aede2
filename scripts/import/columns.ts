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
} as const

export type Column = keyof typeof HEADINGS
export const COLUMNS = Object.keys(HEADINGS) as Column[]

/** The heading of a column, or of the field with its id; or the name of another field. */
export const headingOf = (field: string): string =>
  HEADINGS[field.replace(/_id$/, '') as Column]?.[0] ?? field

/** Without case, accents, hyphens and the like. */
const normalize = (heading: string) => fold(heading).replace(/[^a-z0-9]/g, '')
const ALL_HEADINGS = Object.values(HEADINGS).flat()
const BY_HEADING = new Map(
  COLUMNS.flatMap((column) =>
    [column, ...HEADINGS[column]].map((name) => [normalize(name), column]),
  ),
)

/** The column of a heading in Portuguese, or of the name of a field. */
export const columnOf = (heading: string) => BY_HEADING.get(normalize(heading))

/**
 * The columns of a row of headings; undefined where a cell is blank.
 * @throws naming every heading that is unknown, with the nearest known one, or repeated
 */
export function parseHeadings(cells: string[]): (Column | undefined)[] {
  const columns = cells.map(columnOf)
  const problems = cells.flatMap((cell, at) => {
    const column = columns[at]
    if (!column)
      return cell.trim()
        ? [`a coluna "${cell}" é desconhecida (seria "${nearest(cell, columns)}"?)`]
        : []
    const first = columns.indexOf(column)
    return first === at ? [] : [`as colunas "${cells[first]}" e "${cell}" são a mesma`]
  })
  if (!columns.includes('first_name') && !columns.includes('full_name'))
    problems.push('falta a coluna "Nome" ou "Nome completo"')
  if (problems.length > 0)
    throw new Error(`${problems.join('; ')}. As colunas são: ${ALL_HEADINGS.join(', ')}`)
  return columns
}

/** The most similar heading of a column that is not there yet. */
function nearest(heading: string, present: (Column | undefined)[]): string {
  const distance = (name: string) => leven(normalize(name), normalize(heading))
  const candidates = COLUMNS.filter((column) => !present.includes(column)).flatMap(
    (column) => HEADINGS[column],
  )
  return candidates.reduce((best, name) => (distance(name) < distance(best) ? name : best), 'Nome')
}
