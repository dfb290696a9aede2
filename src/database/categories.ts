import { type SQL, sql } from 'drizzle-orm'
import { offsetOf, type Page } from '../domain/pagination.ts'
import type { Database } from './connection.ts'

/** @property search already folded (domain/folding.ts) */
export type CategoryFilter = { search: string; active?: boolean | undefined }

export type Category = {
  id: number
  name: string
  description: string
  active: boolean
  created_at: string
  updated_at: string
}

/** A category as it is stored, or nulls on an empty page, beside the number of all that match. */
type Row = Omit<Category, 'id' | 'active'> & { total: number; id: number | null; active: 0 | 1 }

/**
 * One page of categories by name, without case or accents, and how many there are in all. One statement,
 * written in SQL: it is the one that everyone's first lookup waits for.
 */
export async function listCategories(
  db: Database,
  filter: CategoryFilter,
  page: Page,
): Promise<{ rows: Category[]; total: number }> {
  const where = matching(filter)
  const found = await db.all<Row>(sql`
    select counted.total, listed.*
    from (select count(*) as total from categories where ${where}) as counted
    left join (
      select id, name, description, active, created_at, updated_at
      from categories where ${where}
      order by name_folded, id limit ${page.perPage} offset ${offsetOf(page)}
    ) as listed on true`)
  const rows = found.flatMap(({ total: _, id, ...category }) =>
    id === null ? [] : { id, ...category, active: category.active === 1 },
  )
  return { rows, total: found[0]?.total ?? 0 }
}

/** The search is a literal substring of name or description; instr knows no wildcards and no limit of length. */
function matching({ search, active }: CategoryFilter): SQL {
  const conditions = [sql`true`]
  if (active !== undefined) conditions.push(sql`active = ${active ? 1 : 0}`)
  if (search !== '')
    conditions.push(sql`(instr(name_folded, ${search}) > 0 or instr(description_folded, ${search}) > 0)`)
  return sql.join(conditions, sql` and `)
}
