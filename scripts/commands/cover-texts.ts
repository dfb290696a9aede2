import { fold } from '../../src/domain/folding.ts'
import { settingsSchema } from '../../src/settings.ts'
import { readConfiguration } from '../lib/configuration.ts'

/** The names of groups that `COVER_TEXTS` of wrangler.toml knows; none if the setting is wrong. */
export function coveredGroups(env?: string): string[] {
  const { vars } = readConfiguration(env)
  const { COVER_TEXTS } = vars
  const { success } = settingsSchema.shape.COVER_TEXTS.safeParse(COVER_TEXTS)
  return success ? Object.keys(COVER_TEXTS as object) : []
}

/** Of the names of groups, those that the cover would show no lines for, each once. */
export function uncoveredGroups(names: string[]): string[] {
  const byFoldedName = new Map(names.map((name) => [fold(name), name]))
  for (const name of coveredGroups()) {
    byFoldedName.delete(fold(name))
  }
  return [...byFoldedName.values()]
}
