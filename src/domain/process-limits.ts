/** Maximum groups of a process. Copies of an older process may have more. */
export const MAX_GROUPS = 50

/** Maximum questionnaires of a group. Copies of an older one may have more. */
export const MAX_QUESTIONNAIRES = 50
