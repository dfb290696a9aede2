/** The subject types of rows of reference lists. */
const REFERENCE_TYPES = ['category', 'diocese', 'treatment_pronoun'] as const

export type ReferenceType = (typeof REFERENCE_TYPES)[number]

type ReferenceActions = {
  [Type in ReferenceType as `${Type}.${'created' | 'updated' | 'deleted'}`]: Type
}

function referenceActions() {
  const actions = REFERENCE_TYPES.flatMap((type) =>
    ['created', 'updated', 'deleted'].map((participle) => [
      `${type}.${participle}`,
      type,
    ]),
  )
  return Object.fromEntries(actions) as ReferenceActions // typed by its keys
}

/** The type of subject of each recorded action. */
export const SUBJECT_TYPE_BY_ACTION = {
  'informer.read': 'informer',
  'informer.listed': 'informer',
  'informer.created': 'informer',
  'informer.updated': 'informer',
  'informer.deleted': 'informer',
  'group.associated': 'informer',
  'group.dissociated': 'informer',
  'questionnaire.completed': 'informer',
  'questionnaire.reopened': 'informer',
  'administrator.created': 'administrator',
  'administrator.updated': 'administrator',
  'administrator.deleted': 'administrator',
  'process.created': 'process',
  'process.updated': 'process',
  'process.deleted': 'process',
  'process.emptied': 'process',
  'group.created': 'group',
  'group.updated': 'group',
  'group.deleted': 'group',
  'questionnaire.created': 'questionnaire',
  'questionnaire.updated': 'questionnaire',
  'questionnaire.deleted': 'questionnaire',
  ...referenceActions(),
  'changelog.created': 'changelog',
  'changelog.updated': 'changelog',
  'changelog.deleted': 'changelog',
  'changelog.published': 'changelog',
  'changelog.unpublished': 'changelog',
  'changelog.imported': 'changelog',
  'password.changed': 'user',
  'password.reset': 'user',
  'email.verified': 'user',
  'session.started': 'user',
  'session.ended': 'user',
  'second_factor.enabled': 'user',
  'second_factor.disabled': 'user',
  'api_token.created': 'api_token',
  'api_token.deleted': 'api_token',
} as const

/** The type of the row that an action relates its subject to. */
export const RELATED_TYPE_BY_ACTION: { [Action in AuditAction]?: RelatedType } = {
  'group.associated': 'group',
  'group.dissociated': 'group',
  'questionnaire.completed': 'questionnaire',
  'questionnaire.reopened': 'questionnaire',
}

export const RELATED_TYPES = ['group', 'questionnaire'] as const

export type RelatedType = (typeof RELATED_TYPES)[number]

export type AuditAction = keyof typeof SUBJECT_TYPE_BY_ACTION

export type SubjectType = (typeof SUBJECT_TYPE_BY_ACTION)[AuditAction]

// Object.keys returns plain strings
export const AUDIT_ACTIONS = Object.keys(SUBJECT_TYPE_BY_ACTION) as AuditAction[]

export const SUBJECT_TYPES = [...new Set(Object.values(SUBJECT_TYPE_BY_ACTION))]
