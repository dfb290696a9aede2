import { env } from 'cloudflare:workers'

/**
 * One statement, because each costs more than its rows: a column of each table, a line of each row.
 */
const WRITE_STATEMENT = `
  select 'select ' || group_concat(
    '(select group_concat(' || line || ', char(10)) from "' || name || '") as "' || name || '"'
  ) from (
    select tables.name,
      'concat_ws('', '', ' || group_concat('quote("' || columns.name || '")') || ')' as line
    from sqlite_schema as tables join pragma_table_info(tables.name) as columns
    where tables.type = 'table' and tables.name not glob '_cf_*' and tables.name not glob 'sqlite_*'
      and tables.name <> 'transactions'
    group by tables.name
  )`

let statement: string | undefined

/**
 * All rows of all tables but the ids of transactions, as text: two are the same only if nothing was
 * written between them.
 */
export async function storedRows(): Promise<Record<string, string | null>> {
  const [written = ''] = statement
    ? []
    : await env.DB.prepare(WRITE_STATEMENT).raw<[string]>()
  statement ??= written[0]
  return (await env.DB.prepare(statement ?? '').first()) ?? {}
}
