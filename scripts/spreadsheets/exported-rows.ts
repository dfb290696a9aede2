import { fold } from '../../src/domain/folding.ts'
import type { User } from '../provisioning/state.ts'
import { nameOf } from './changes.ts'
import { type Column, EXPORTED_COLUMNS, headingOf } from './columns.ts'
import type { Membership, SelectMemberships } from './membership-filter.ts'

/** The headings, and a row for each membership of an informer, ordered by what they say of them. */
export function toExportedRows(informers: User[], select: SelectMemberships): string[][] {
  const people = informers.flatMap((informer) => {
    const memberships = select(informer)
    if (!memberships) return []

    const rows = (memberships.length > 0 ? memberships : [undefined]).map((membership) =>
      toTexts(informer, membership),
    )
    return { sortKey: sortKeyOf(informer, rows), rows }
  })
  people.sort((one, other) => (one.sortKey < other.sortKey ? -1 : 1))

  const rows = people.flatMap(({ rows }) => rows)
  return [
    EXPORTED_COLUMNS.map(headingOf),
    ...rows.map((texts) => EXPORTED_COLUMNS.map((column) => texts[column] ?? '')),
  ]
}

type Texts = Partial<Record<Column, string | null | undefined>>

function toTexts(informer: User, membership?: Membership): Texts {
  const { treatment_pronoun, category, diocese, ...fields } = informer
  return {
    ...fields,
    cpf: informer.cpf?.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4'),
    treatment_pronoun: nameOf(treatment_pronoun),
    category: nameOf(category),
    diocese: nameOf(diocese),
    process: membership?.process.protocol,
    group: membership?.group.name,
    questionnaire_status: membership?.questionnaire_status,
  }
}

/** By name; of one name, what the service orders by and another import would not give is left out. */
function sortKeyOf({ full_name }: User, rows: Texts[]): string {
  const columns = EXPORTED_COLUMNS.filter((column) => column !== 'id' && column !== 'updated_at')
  const lines = rows.map((texts) => columns.map((column) => texts[column] ?? '').join())
  return [fold(full_name), ...lines].join('\n')
}
