import type { Context } from 'hono'
import { coverTextsOf } from '#domain/cover-texts.ts'
import type { CallerEnv } from '#http/guards.ts'

/**
 * Returns a process as responses show one, with what the cover shows for the name of each group, so
 * that a name without confidentiality lines is noticed where it is given.
 */
export function toProcess<
  Group extends { name: string },
  Row extends { groups: Group[] },
>(c: Context<CallerEnv>, process: Row & { groups: Group[] }) {
  const { COVER_TEXTS } = c.get('settings')
  const groups = process.groups.map((group) => ({
    ...group,
    cover_texts: coverTextsOf(COVER_TEXTS, group.name),
  }))
  return { ...process, groups }
}
