import { type Database, type Interceptor, interceptQueries, openDatabase } from '../../src/database/client.ts'
import { readCover } from '../../src/database/cover.ts'
import { readReferenceList } from '../../src/database/reference-lists.ts'
import { categories } from '../../src/database/schema.ts'
import { median } from '../lib/median.ts'

export type Growth = { what: string; size: number; rowsRead: number; milliseconds: number }

const REPEATS = 15
const CATEGORIES = [100, 1_000, 10_000, 100_000]
const INFORMERS = [1_000, 10_000, 100_000, 1_000_000]

/** What the two reads cost as the tables grow: rows read, exactly, and the median time of a query. */
export async function measureGrowth(database: D1Database): Promise<Growth[]> {
  const measured: Growth[] = []
  const list = (db: Database) => readReferenceList(db, categories)
  for (const size of CATEGORIES) {
    await fill(database, 'categories (name, description)', "'Função ' || n, 'Descrição ' || n", size)
    measured.push({ what: 'categories, first page', size, ...(await cost(database, list)) })
  }
  const ana = await database
    .prepare("select id from users where email = 'ana@example.org'")
    .first<string>('id')
  for (const size of INFORMERS) {
    const id = "printf('00000000-0000-4000-8000-%012d', n)"
    await fill(
      database,
      'users (id, role_id, first_name, name_folded, initials)',
      `${id}, 1, 'Informante', 'informante', 'I'`,
      size,
    )
    await fill(
      database,
      'informer_groups (informer_id, group_id)',
      `${id}, (select id from groups limit 1)`,
      size,
    )
    measured.push({
      what: 'cover, informers',
      size,
      ...(await cost(database, (db) => readCover(db, ana ?? ''))),
    })
  }
  return measured
}

/** Fills a table with rows counted by n up to a size; those that are there already stay. */
async function fill(database: D1Database, into: string, values: string, size: number): Promise<void> {
  await database
    .prepare(
      `insert into ${into} with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ?)
       select ${values} from counter where true on conflict do nothing`,
    )
    .bind(size)
    .run()
}

async function cost(database: D1Database, read: (db: Database) => Promise<unknown>) {
  let rowsRead = 0
  const counting: Interceptor = async (trip) => {
    const results = await trip()
    for (const { meta } of [results].flat() as D1Result[]) rowsRead += meta.rows_read
    return results
  }
  await read(openDatabase(interceptQueries(database, counting)))
  const times: number[] = []
  for (let time = 0; time < REPEATS; time++) {
    const start = performance.now()
    await read(openDatabase(database))
    times.push(performance.now() - start)
  }
  return { rowsRead, milliseconds: median(times) }
}
