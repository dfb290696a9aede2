import { fold } from '../../src/domain/folding.ts'
import { settingsSchema } from '../../src/settings.ts'
import { readConfiguration } from '../lib/configuration.ts'

/**
 * Returns the names of groups in `COVER_TEXTS` of wrangler.toml; none if the setting is invalid.
 */
export function coveredGroups(env?: string): string[] {
  const { vars } = readConfiguration(env)
  const { COVER_TEXTS } = vars
  const { success } = settingsSchema.shape.COVER_TEXTS.safeParse(COVER_TEXTS)
  return success ? Object.keys(COVER_TEXTS as object) : []
}

/** Returns those names of groups for which the cover would show no lines, each once. */
export function uncoveredGroups(names: string[]): string[] {
  const byFoldedName = new Map(names.map((name) => [fold(name), name]))
  for (const name of coveredGroups()) {
    byFoldedName.delete(fold(name))
  }
  return [...byFoldedName.values()]
}
