import { and, eq, ne, not, type SQL, sql } from 'drizzle-orm'
import { fold } from '../domain/folding.ts'
import type { CONSTRAINT_MESSAGES } from '../domain/process.ts'
import type { Database } from './client.ts'
import { exists, findViolations } from './constraints.ts'
import { type Part, TABLES } from './processes.ts'
import { groups, processes, questionnaires } from './schema.ts'

/** The fields of a process, group or questionnaire that only the database can validate. Absent ones are valid. */
export type CheckedFields = { [Field in keyof typeof CONSTRAINT_MESSAGES]?: string | null | undefined }

/** The column that must be unique, and within what. */
const UNIQUE = {
  process: { field: 'protocol', column: processes.protocol_folded, parent: null },
  group: { field: 'name', column: groups.name_folded, parent: groups.process_id },
  questionnaire: { field: 'title', column: questionnaires.title_folded, parent: questionnaires.group_id },
} as const

/**
 * The fields whose text another row has, without case and accents, or that refer to no process. One round trip at most.
 *
 * @param id the row that may keep its text; '' for a new one
 * @param parentId the process of a new group, or the group of a new questionnaire
 */
export function findInvalidFields(
  db: Database,
  part: Part,
  { groups_of, ...fields }: CheckedFields,
  { id, parentId }: { id: string; parentId: string },
) {
  const table = TABLES[part] as typeof processes // of which the id is enough
  const { field, column, parent } = UNIQUE[part]
  const text = fields[field]
  const isBeside = parent && sql`${parent} = ${parentId || sql`(select ${parent} from ${table} where id = ${id})`}`
  const isTaken = (text: string): SQL =>
    exists(table, and(isBeside ?? undefined, eq(column, fold(text)), id ? ne(table.id, id) : undefined))
  return findViolations<keyof CheckedFields>(db, {
    ...(text && { [field]: isTaken(text) }),
    ...(groups_of && { groups_of: not(exists(processes, eq(processes.id, groups_of))) }),
  })
}
