import { env } from 'cloudflare:workers'

const SELECT_TABLES = `
  select name from sqlite_schema
  where type = 'table' and name not glob '_cf_*' and name not glob 'sqlite_*'
  order by name`

/** All rows of all tables, as text: two are the same only if nothing was written between them. */
export async function storedRows(): Promise<Record<string, string[]>> {
  const tables = await env.DB.prepare(SELECT_TABLES).all<{ name: string }>()
  const names = tables.results.map(({ name }) => name)
  const selects = names.map((name) => env.DB.prepare(`select * from "${name}"`))
  const results = await env.DB.batch(selects)

  return Object.fromEntries(
    names.map((name, index) => [
      name,
      (results[index]?.results ?? []).map((row) => JSON.stringify(row)).toSorted(),
    ]),
  )
}
