/** The lists that everybody may read, from any origin, and that caches may store. */
export const publicPaths = [
  '/v1/categories',
  '/v1/dioceses',
  '/v1/treatment-pronouns',
  '/v1/changelogs',
]
