/** User roles. A migration inserts their rows. */
const ROLE_SLUGS = ['informer', 'administrator'] as const

export type RoleSlug = (typeof ROLE_SLUGS)[number]

export function isRoleSlug(slug: unknown): slug is RoleSlug {
  return ROLE_SLUGS.some((known) => known === slug)
}
