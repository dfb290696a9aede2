import { type SQL, sql } from 'drizzle-orm'
import type { QuestionnaireStatus } from '#domain/completion.ts'

/**
 * Returns the conditions of each status of a pair, as `completionOf` (domain/completion.ts) defines
 * them.
 * @param completed the number of its completed questionnaires
 * @param available the number of all questionnaires of its group
 */
export const statusConditions = (
  completed: SQL,
  available: SQL,
): Record<QuestionnaireStatus, SQL> => ({
  Pendente: sql`${completed} = 0`,
  'Em andamento': sql`${completed} between 1 and ${available} - 1`,
  Concluído: sql`${completed} > 0 and ${completed} = ${available}`,
})
