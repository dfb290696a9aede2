import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { applyDocument } from '../../scripts/provisioning/apply.ts'
import { DocumentError } from '../../scripts/provisioning/document.ts'

type Contents = Record<string, Record<string, unknown>[]>

/** Every row of every table of the service. */
export async function contents(): Promise<Contents> {
  const { results } = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not glob '_cf_*' and name not glob 'sqlite_*'",
  ).all<{ name: string }>()
  const rows = await env.DB.batch<Record<string, unknown>>(
    results.map(({ name }) => env.DB.prepare(`select * from ${name}`)),
  )
  return Object.fromEntries(results.map(({ name }, index) => [name, rows[index]?.results ?? []]))
}

export const apply = (document: unknown) => applyDocument(env.DB, document)

/** Applies an invalid document and expects no changes. */
export async function problemsOf(document: unknown): Promise<string[]> {
  const before = await contents()
  const error = await apply(document).catch((error) => error)
  expect(error).toBeInstanceOf(DocumentError)
  expect(await contents()).toEqual(before)
  return error.problems
}

/** The user with an email or a CPF. */
export const findUser = (identifier: string) =>
  env.DB.prepare('select * from users where ? in (email, cpf)').bind(identifier).first()

const KEYS: Record<string, string[]> = {
  informer_groups: ['informer_id', 'group_id'],
  informer_completions: ['informer_id', 'questionnaire_id'],
}

/** Counts the rows of each table that were added, changed and removed; tables without any are left out. */
export function countDifferences(before: Contents, after: Contents) {
  const counts: Record<string, { added: number; changed: number; removed: number }> = {}
  for (const table of Object.keys(after)) {
    const byKey = (rows: Record<string, unknown>[] = []) =>
      new Map(rows.map((row) => [(KEYS[table] ?? ['id']).map((key) => row[key]).join(), JSON.stringify(row)]))
    const [old, current] = [byKey(before[table]), byKey(after[table])]
    const added = [...current.keys()].filter((key) => !old.has(key)).length
    const removed = [...old.keys()].filter((key) => !current.has(key)).length
    const changed = [...current].filter(([key, row]) => old.has(key) && old.get(key) !== row).length
    if (added + changed + removed > 0) counts[table] = { added, changed, removed }
  }
  return counts
}
