/** User roles. A migration inserts their rows. */
export const ROLE_SLUGS = ['informer', 'administrator'] as const

export type RoleSlug = (typeof ROLE_SLUGS)[number]

export type RoleName = 'Informante' | 'Administrador'
