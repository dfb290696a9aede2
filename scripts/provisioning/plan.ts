import { fullName, initials } from '../../src/domain/names.ts'
import { foldedName, type KeyFields, keyOf, type Person, type Rows, type Table } from './rows.ts'
import type { State, User } from './state.ts'

export type Plan = ReturnType<typeof planChanges>

/**
 * Compares the rows of a document with the database. Rows that are not in the document stay, except the other groups of
 * an informer with `groups_are_complete`.
 *
 * @param known the known users, by path in the document
 */
export function planChanges(rows: Rows, state: State, known: ReadonlyMap<string, User>) {
  const processes = compare('processes', state.processes, rows.processes)
  const groups = compare(
    'groups',
    state.groups,
    rows.groups.map((row) => ({ ...row, process_id: processes.id(row) })),
  )
  const questionnaires = compare(
    'questionnaires',
    state.questionnaires,
    rows.questionnaires.map((row) => ({ ...row, group_id: groups.id(row) })),
  )
  const ids = new Map(rows.people.map(({ path }) => [path, known.get(path)?.id ?? crypto.randomUUID()]))
  const users = compare(
    'users',
    state.users,
    rows.people.map((person) => ({ ...userRow(person, known.get(person.path)), id: ids.get(person.path) })),
  )
  const complete = rows.informers.filter(({ groups_are_complete }) => groups_are_complete)
  const completeIds = new Set(complete.map(({ path }) => ids.get(path)))
  const associations = compare(
    'informer_groups',
    state.informer_groups,
    rows.associations.map((row) => ({ informer_id: ids.get(row.informer), group_id: groups.id(row) })),
    ({ informer_id }) => completeIds.has(informer_id),
  )
  const ended = new Set(associations.removed.map((row) => keyOf('informer_groups', row)))
  const completions = compare(
    'informer_completions',
    state.informer_completions,
    rows.completions.map((row) => ({
      informer_id: ids.get(row.informer),
      questionnaire_id: questionnaires.id(row),
    })),
    (row) => ended.has(keyOf('informer_groups', row)),
  )
  return {
    categories: compare('categories', state.categories, rows.categories),
    treatment_pronouns: compare('treatment_pronouns', state.treatment_pronouns, rows.treatment_pronouns),
    dioceses: compare('dioceses', state.dioceses, rows.dioceses),
    processes,
    groups,
    questionnaires,
    users,
    informer_groups: associations,
    informer_completions: completions,
    changelogs: compare('changelogs', state.changelogs, rows.changelogs),
  }
}

/** The new row of a user. Missing fields stay, and a password is set only if there is none. */
function userRow(person: Person, user: User | undefined) {
  const given = Object.entries(person).filter(([, value]) => value !== undefined && value !== null)
  const merged: Partial<User> = { ...user, ...Object.fromEntries(given) }
  const { first_name = '', last_name = null } = merged
  // a trigger of the foundation migration removes the password when a new email must be verified
  const losesPassword = user?.email_verification_required && user.email !== merged.email
  const password = user?.has_password && !losesPassword ? undefined : person.password
  return {
    ...merged,
    name_folded: foldedName(merged),
    initials: initials(fullName({ first_name, last_name })),
    password,
    has_password: password === undefined ? user?.has_password : 1,
  }
}

/**
 * Compares rows with the database rows of the same keys, in the fields that both have.
 *
 * @param isObsolete whether a database row is removed if it is not among the rows
 */
function compare<Known extends object, Row extends object>(
  table: Table,
  known: ReadonlyMap<string, Known>,
  rows: Row[],
  isObsolete: (row: Known) => boolean = () => false,
) {
  const planned = new Map<string, { id?: unknown }>()
  const added: Row[] = []
  const changed: Row[] = []
  for (const row of rows) {
    const key = keyOf(table, row)
    if (planned.has(key)) continue
    const old = known.get(key)
    const merged = { id: crypto.randomUUID(), ...old, ...row }
    planned.set(key, merged)
    if (!old) added.push(merged)
    else if (
      Object.entries(row).some(([field, value]) => field in old && value !== old[field as keyof Known])
    )
      changed.push(merged)
  }
  return {
    added,
    changed,
    removed: [...known].flatMap(([key, row]) => (!planned.has(key) && isObsolete(row) ? row : [])),
    unchanged: planned.size - added.length - changed.length,
    /** The id of a planned or known row by its key. */
    id: (row: KeyFields) =>
      String((planned.get(keyOf(table, row)) ?? (known.get(keyOf(table, row)) as { id?: unknown })).id),
  }
}
