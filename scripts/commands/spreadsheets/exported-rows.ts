import { type Column, EXPORTED_COLUMNS, headingOf } from './columns.ts'
import { nameOf } from './references.ts'
import type { Informer, Membership } from './state.ts'
import { fold } from '#domain/folding.ts'

type Texts = Partial<Record<Column, string | null | undefined>>

/**
 * Returns the headings, and a row for each membership of an informer.
 * @param wanted texts that rows must have, ignoring case and accents
 */
export function toExportedRows(informers: Informer[], wanted: Texts): string[][] {
  const rows = informers.flatMap(toRows).filter((row) => hasTexts(row, wanted))
  const cells = rows.map((row) => EXPORTED_COLUMNS.map((column) => row[column] ?? ''))
  return [EXPORTED_COLUMNS.map(headingOf), ...cells]
}

function hasTexts(row: Texts, wanted: Texts): boolean {
  const filters = Object.entries(wanted) as [Column, string | undefined][]
  return filters.every(
    ([column, text]) => !text || fold(row[column] ?? '') === fold(text),
  )
}

function toRows(informer: Informer): Texts[] {
  const memberships = informer.processes_groups
  if (memberships.length === 0) return [toTexts(informer)]
  return memberships.map((membership) => toTexts(informer, membership))
}

function toTexts(informer: Informer, membership?: Membership): Texts {
  const { treatment_pronoun, category, diocese, cpf, ...fields } = informer
  return {
    ...fields,
    cpf: cpf?.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4'),
    treatment_pronoun: nameOf(treatment_pronoun),
    category: nameOf(category),
    diocese: nameOf(diocese),
    process: membership?.process.protocol,
    group: membership?.group.name,
    questionnaire_status: membership?.questionnaire_status,
  }
}
