import { referenceLists } from '#routes/reference-lists/lists.ts'

/** The lists that everyone may read, from any origin, and that caches may store. */
export const publicPaths = [...referenceLists.map(({ path }) => path), '/v1/changelogs']

/** The `Cache-Tag` of each of these lists, by the subject type of the records of its changes. */
export const cacheTags: ReadonlyMap<string, string> = new Map([
  ...referenceLists.map(({ type, name }) => [type, name] as const),
  ['changelog', 'changelogs'],
])
