import { and, ne, type SQL, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import type { CONSTRAINT_MESSAGES } from '../domain/process.ts'
import type { Database } from './client.ts'
import { type Part, TABLES } from './processes.ts'
import { groups, processes, questionnaires } from './schema.ts'

/** The fields of a process, group or questionnaire that only the database can validate. Absent ones are valid. */
export type CheckedFields = { [Field in keyof typeof CONSTRAINT_MESSAGES]?: string | null | undefined }

/** The id of an existing row, which may keep its text; or of the parent of a new one. Otherwise ''. */
type Among = { id: string; parentId: string }

/** What must be unique, and within what. */
const UNIQUE = {
  process: {
    field: 'protocol',
    column: processes.protocol,
    folded: processes.protocol_folded,
    parent: undefined,
  },
  group: { field: 'name', column: groups.name, folded: groups.name_folded, parent: groups.process_id },
  questionnaire: {
    field: 'title',
    column: questionnaires.title,
    folded: questionnaires.title_folded,
    parent: questionnaires.group_id,
  },
} as const

/** The folded columns of the fields that have one. */
export function folded({ name, protocol, title }: { name?: string; protocol?: string; title?: string }) {
  return {
    ...(name !== undefined && { name_folded: fold(name) }),
    ...(protocol !== undefined && { protocol_folded: fold(protocol) }),
    ...(title !== undefined && { title_folded: fold(title) }),
  }
}

/**
 * The fields whose text another row has, without case and accents, or that refer to no process. One round trip, or none
 * if there is nothing to check.
 */
export async function findInvalidFields(
  db: Database,
  part: Part,
  { groups_of, ...fields }: CheckedFields,
  among: Among,
): Promise<(keyof CheckedFields)[]> {
  const { field } = UNIQUE[part]
  const text = fields[field]
  const invalid = {
    ...(text && { [field]: isTaken(db, part, text, among) }),
    ...(groups_of && { groups_of: sql`not exists (select 1 from processes where id = ${groups_of})` }),
  }
  const checked = Object.keys(invalid) as (keyof CheckedFields)[]
  if (checked.length === 0) return []
  const [found] = await db.select(invalid as Record<string, SQL<number>>).from(sql`(select 1)`)
  return checked.filter((name) => found?.[name])
}

function isTaken(db: Database, part: Part, text: string, { id, parentId }: Among): SQL {
  const table = TABLES[part] as typeof processes // of which the id is enough
  const { column, folded: inFolded, parent } = UNIQUE[part]
  const same = fold(text)
  const isSame = parent // an `or` beside a subquery would read the whole table
    ? sql`coalesce(${inFolded}, lower(${column})) = ${same}`
    : sql`(${inFolded} = ${same} or ${inFolded} is null and lower(${column}) = ${same})`
  const isBeside =
    parent && sql`${parent} = ${parentId || sql`(select ${parent} from ${table} where id = ${id})`}`
  return sql`exists ${db
    .select({ found: sql`1` })
    .from(table)
    .where(and(isBeside, isSame, id ? ne(table.id, id) : undefined))}`
}
