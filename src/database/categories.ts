import { and, asc, count, eq, or, type SQL, sql } from 'drizzle-orm'
import { offsetOf, type Page } from '../domain/pagination.ts'
import type { Database } from './connection.ts'
import { categories } from './schema.ts'

/** @property search already folded (domain/folding.ts) */
export type CategoryFilter = { search: string; active?: boolean | undefined }

/** One page of categories by name, without case or accents, and how many there are in all. One round trip. */
export async function listCategories(db: Database, filter: CategoryFilter, page: Page) {
  const where = and(
    filter.active === undefined ? undefined : eq(categories.active, filter.active),
    filter.search === '' ? undefined : contains(filter.search),
  )
  const [rows, [counted]] = await db.batch([
    db
      .select({
        id: categories.id,
        name: categories.name,
        description: categories.description,
        active: categories.active,
        created_at: categories.created_at,
        updated_at: categories.updated_at,
      })
      .from(categories)
      .where(where)
      .orderBy(asc(categories.name_folded), asc(categories.id))
      .limit(page.perPage)
      .offset(offsetOf(page)),
    db.select({ total: count() }).from(categories).where(where),
  ])
  return { rows, total: counted?.total ?? 0 }
}

/** A literal substring of name or description; instr knows no wildcards and no limit of length. */
function contains(folded: string): SQL | undefined {
  return or(
    sql`instr(${categories.name_folded}, ${folded}) > 0`,
    sql`instr(${categories.description_folded}, ${folded}) > 0`,
  )
}
