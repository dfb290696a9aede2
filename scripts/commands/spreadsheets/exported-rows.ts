import { fold } from '../../../src/domain/folding.ts'
import { nameOf } from '../provisioning/lists.ts'
import type { User } from '../provisioning/state.ts'
import { type Column, EXPORTED_COLUMNS, headingOf } from './columns.ts'
import type { Membership, SelectMemberships } from './membership-filter.ts'

type Texts = Partial<Record<Column, string | null | undefined>>

/** Returns the headings, and a row for each membership of an informer, ordered by content. */
export function toExportedRows(informers: User[], select: SelectMemberships): string[][] {
  const people = informers.flatMap((informer) => {
    const memberships = select(informer)
    if (!memberships) return []

    const rows = toRows(informer, memberships)
    return { rows, sortKey: sortKeyOf(informer, rows) }
  })
  people.sort((one, other) => (one.sortKey < other.sortKey ? -1 : 1))

  const headings = EXPORTED_COLUMNS.map(headingOf)
  const rows = people
    .flatMap((person) => person.rows)
    .map((texts) => EXPORTED_COLUMNS.map((column) => texts[column] ?? ''))
  return [headings, ...rows]
}

function toRows(informer: User, memberships: Membership[]): Texts[] {
  if (memberships.length === 0) return [toTexts(informer)]
  return memberships.map((membership) => toTexts(informer, membership))
}

function toTexts(informer: User, membership?: Membership): Texts {
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

const SORT_COLUMNS = EXPORTED_COLUMNS.filter(
  (column) => column !== 'id' && column !== 'updated_at',
)

/** Returns the name, then the data that another import would reproduce: not the ID nor the time. */
function sortKeyOf({ full_name }: User, rows: Texts[]): string {
  const lines = rows.map((texts) => {
    const cells = SORT_COLUMNS.map((column) => texts[column] ?? '')
    return cells.join(',')
  })
  return [fold(full_name), ...lines].join('\n')
}
