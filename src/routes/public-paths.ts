import type { ReferenceType } from '#domain/audit.ts'

/**
 * The lists that everyone may read, from any origin, and that caches may store: their names in paths
 * and as `Cache-Tag`, by the subject type of the records of their changes.
 */
export const publicLists = {
  category: 'categories',
  diocese: 'dioceses',
  treatment_pronoun: 'treatment-pronouns',
  changelog: 'changelogs',
} satisfies Record<ReferenceType | 'changelog', string>

export const publicPaths = Object.values(publicLists).map((name) => `/v1/${name}`)

/** The `Cache-Tag` of each list, by subject type. */
export const cacheTags: ReadonlyMap<string, string> = new Map(Object.entries(publicLists))
