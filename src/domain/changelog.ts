export const CHANGELOG_CATEGORIES = [
  'Nova Funcionalidade',
  'Correção',
  'Melhoria',
  'Atualização',
] as const

export type ChangelogCategory = (typeof CHANGELOG_CATEGORIES)[number]

/** Limits of an entry, in code points. */
export const MAX_TITLE = 255
export const MAX_DESCRIPTION = 10_000

/** The hash of a commit in lower or upper case, whole or abbreviated. */
export const COMMIT_HASH = /^[\da-fA-F]{7,64}$/
