import * as z from 'zod/mini'
import { QUESTIONNAIRE_STATUSES } from '#domain/completion.ts'
import {
  crossFieldRule,
  patchOf,
  refineOrStop,
  UUID,
  uuid,
} from '#http/request/fields.ts'
import {
  email,
  firstName,
  isEmailVerified,
  PERSON_MESSAGES,
  personFields,
} from '#http/request/person-fields.ts'
import {
  booleanParameter,
  choiceParameter,
  idParameter,
  pageParameters,
  referenceIdParameter,
  searchParameter,
} from '#http/request/query-parameters.ts'

const reference = (message: string, description: string) =>
  z.nullish(z.int(message).check(z.positive(message), z.describe(description)))

const informerFields = {
  ...personFields,
  email: z.nullish(email),
  treatment_pronoun_id: reference(
    PERSON_MESSAGES.treatment_pronoun_id,
    'Um pronome ativo de `GET /treatment-pronouns`.',
  ),
  category_id: reference(
    PERSON_MESSAGES.category_id,
    'Uma função eclesiástica ativa de `GET /categories`.',
  ),
  diocese_id: reference(
    PERSON_MESSAGES.diocese_id,
    'Uma diocese ativa de `GET /dioceses`.',
  ),
}

const MAX_GROUPS = 100

const isUuid = (value: unknown) => typeof value === 'string' && UUID.test(value.trim())

/** Groups, each once. Their number is checked before the items. */
const groupIds = z.pipe(
  z.array(z.unknown(), 'O campo grupos deve ser uma lista.').check(
    refineOrStop(
      (ids) => ids.length <= MAX_GROUPS,
      `Informe no máximo ${MAX_GROUPS} grupos.`,
    ),
    z.refine((ids) => ids.every(isUuid), PERSON_MESSAGES.group_ids),
    z.meta({
      items: { type: 'string', format: 'uuid' },
      maxItems: MAX_GROUPS,
      description:
        'Associa o informante também a estes grupos, depois de `group_id` e nesta ordem.',
    }),
  ),
  z.transform((ids) => [...new Set(ids.map((id) => String(id).trim().toLowerCase()))]),
)

/** The body of POST /informers. Unknown fields are ignored. */
export const createInformerBody = z
  .object({
    first_name: firstName,
    ...informerFields,
    group_id: z.nullish(
      uuid(PERSON_MESSAGES.group_id).check(
        z.describe('Associa o informante a este grupo e ao processo dele.'),
      ),
    ),
    group_ids: z.nullish(groupIds),
    require_email_verification: z.nullish(
      z
        .boolean('O campo verificação de email deve ser verdadeiro ou falso.')
        .check(
          z.describe(
            'Exige a confirmação do email antes do login; o padrão é a configuração do ' +
              'serviço.',
          ),
        ),
    ),
  })
  .check(
    crossFieldRule(
      ['email', 'require_email_verification'],
      (informer) =>
        informer.require_email_verification !== true || informer.email != null,
      'O email é obrigatório quando a verificação de email é exigida.',
      'email',
    ),
  )

/** The body of PATCH /informers/{informer} (JSON Merge Patch, RFC 7396). */
export const updateInformerBody = patchOf({
  first_name: z.optional(firstName),
  ...informerFields,
  is_email_verified: isEmailVerified,
})

/** The query of GET /informers. */
export const informersQuery = z.object({
  search: searchParameter,
  process_id: idParameter('process_id', 'Só os informantes deste processo.'),
  group_id: idParameter('group_id', 'Só os informantes deste grupo.'),
  questionnaire_status: choiceParameter(
    'questionnaire_status',
    QUESTIONNAIRE_STATUSES,
    'Só os informantes com este status no par.',
  ),
  is_concluded: booleanParameter(
    'is_concluded',
    ['true', 'false'],
    'Só quem concluiu tudo no par; com `false`, quem ainda não concluiu.',
  ),
  category_id: referenceIdParameter(
    'category_id',
    'Só os informantes com esta função eclesiástica.',
  ),
  diocese_id: referenceIdParameter('diocese_id', 'Só os informantes desta diocese.'),
  treatment_pronoun_id: referenceIdParameter(
    'treatment_pronoun_id',
    'Só os informantes com este pronome de tratamento.',
  ),
  has_process: booleanParameter(
    'has_process',
    ['true', 'false'],
    'Só quem está em algum processo; com `false`, quem não está em nenhum.',
  ),
  is_email_verified: booleanParameter(
    'is_email_verified',
    ['true', 'false'],
    'Só quem tem o email confirmado; com `false`, quem não o confirmou ou não tem email.',
  ),
  ...pageParameters(),
})
