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

/** A category as it is stored; the last row has nothing but the number of all that match. */
type Row = Omit<Category, 'active'> & { active: 0 | 1; total: number | null }

/**
 * One page of categories by name, without case or accents, and how many there are in all. One statement,
 * written in SQL, because everyone's first lookup waits for it; the number joined to each row was slower.
 */
export async function listCategories(
  db: Database,
  filter: CategoryFilter,
  page: Page,
): Promise<{ rows: Category[]; total: number }> {
  const where = matching(filter)
  const found = await db.all<Row>(sql`
    select *, null as total from (
      select id, name, description, active, created_at, updated_at
      from categories where ${where}
      order by name_folded, id limit ${page.perPage} offset ${offsetOf(page)}
    )
    union all
    select null, null, null, null, null, null, count(*) from categories where ${where}`)
  const counted = found.pop()
  const rows = found.map(({ total: _, ...category }) => ({ ...category, active: category.active === 1 }))
  return { rows, total: counted?.total ?? 0 }
}

/** The search is a literal substring of name or description; instr knows no wildcards and no limit of length. */
function matching({ search, active }: CategoryFilter): SQL {
  const conditions = [sql`true`]
  if (active !== undefined) conditions.push(sql`active = ${active ? 1 : 0}`)
  if (search !== '')
    conditions.push(sql`(instr(name_folded, ${search}) > 0 or instr(description_folded, ${search}) > 0)`)
  return sql.join(conditions, sql` and `)
}
