import { type KeyFields, keyOf, keyValues, type Rows } from './rows.ts'
import type { State } from './state.ts'

/** Lists that the service keeps in memory. */
const LISTS = ['categories', 'treatment_pronouns', 'dioceses'] as const
const MAX_LIST_ROWS = 10_000

/** Tables that rows can refer to. */
const REFERABLE = [...LISTS, 'processes', 'groups', 'questionnaires'] as const
type KnownKeys = Record<(typeof REFERABLE)[number], Set<string>>

/** Finds duplicates, unknown references and lists that would be too long. */
export function findProblems(rows: Rows, state: State): string[] {
  const keys = REFERABLE.map((table) => {
    const ofDocument = rows[table].map((row) => keyOf(table, row))
    return [table, new Set([...state[table].keys(), ...ofDocument])]
  })
  const known: KnownKeys = Object.fromEntries(keys)
  const tooLong = LISTS.filter((list) => known[list].size > MAX_LIST_ROWS)
  return [
    ...findRepetitions(rows),
    ...findUnknownReferences(rows, known),
    ...tooLong.map(
      (list) =>
        `${list}: at most ${MAX_LIST_ROWS} rows are allowed; with those of the database there would be ${known[list].size}`,
    ),
  ]
}

function findRepetitions(rows: Rows): string[] {
  const paths = new Map<string, string>()
  const repeated = (path: string, ...key: unknown[]) => {
    if (key.includes(undefined)) return []
    const text = JSON.stringify(key)
    const first = paths.get(text)
    paths.set(text, first ?? path)
    return first ? [`${path}: the same as ${first}`] : []
  }
  return [
    ...([...REFERABLE, 'changelogs'] as const).flatMap((table) =>
      rows[table].flatMap((row) => repeated(row.path, table, ...keyValues(table, row))),
    ),
    ...rows.people.flatMap(({ path, email, previous_email, cpf }) => [
      ...repeated(`${path}.email`, 'email', email),
      ...repeated(`${path}.previous_email`, 'previous_email', previous_email),
      ...repeated(`${path}.cpf`, 'cpf', cpf),
    ]),
  ]
}

function findUnknownReferences(rows: Rows, known: KnownKeys): string[] {
  const has = (table: keyof KnownKeys, key: KeyFields) => known[table].has(keyOf(table, key))
  const unless = (isKnown: boolean, path: string, value: string | undefined) =>
    isKnown || value === undefined ? [] : [`${path}: "${value}" was not found`]
  return [
    ...rows.informers.flatMap(({ path, category, treatment_pronoun, diocese }) => [
      ...unless(has('categories', { name: category }), `${path}.category`, category),
      ...unless(
        has('treatment_pronouns', { name: treatment_pronoun }),
        `${path}.treatment_pronoun`,
        treatment_pronoun,
      ),
      ...unless(has('dioceses', { name: diocese }), `${path}.diocese`, diocese),
    ]),
    ...rows.associations.flatMap((row) => [
      ...unless(has('processes', row), `${row.path}.protocol`, row.protocol),
      ...unless(!has('processes', row) || has('groups', row), `${row.path}.group`, row.group),
    ]),
    ...rows.completions.flatMap((row) =>
      unless(!has('groups', row) || has('questionnaires', row), row.path, row.title),
    ),
  ]
}
