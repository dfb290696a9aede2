import { referenceLists } from '#routes/reference-lists/lists.ts'

/** The lists that everyone may read, from any origin, and that caches may store. */
export const publicPaths = [...referenceLists.map(({ path }) => path), '/v1/changelogs']
