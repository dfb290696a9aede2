import * as z from 'zod/mini'
import { fold } from '#domain/folding.ts'
import { MAX_GROUPS, MAX_QUESTIONNAIRES } from '#domain/process-limits.ts'
import {
  crossFieldRule,
  maxItems,
  multilineText,
  patchOf,
  refineOrStop,
  requiredMessage,
  requiredString,
  requiredText,
  uuid,
} from '#http/request/fields.ts'
import { pageParameters, searchParameter } from '#http/request/query-parameters.ts'

const TOO_MANY_GROUPS = `O processo pode ter no máximo ${MAX_GROUPS} grupos.`
const TOO_MANY_QUESTIONNAIRES = `O grupo pode ter no máximo ${MAX_QUESTIONNAIRES} questionários.`

/** Messages for rules that only the database can check: uniqueness, references and numbers. */
export const PROCESS_MESSAGES = {
  protocol: 'Este protocolo já está cadastrado no sistema.',
  groups_of: 'O processo selecionado é inválido.',
} as const

export const GROUP_MESSAGES = {
  name: 'Já existe um grupo com este nome no processo.',
  body: TOO_MANY_GROUPS,
} as const

export const QUESTIONNAIRE_MESSAGES = {
  title: 'Já existe um questionário com este título no grupo.',
  body: TOO_MANY_QUESTIONNAIRES,
} as const

const COLOR_MESSAGE = 'A cor deve ter a forma #RRGGBB.'

const name = requiredText('nome', 255)
const protocol = requiredText('protocolo', 255).check(
  z.describe('O número do protocolo, único entre os processos.'),
)
const title = requiredText('título', 255)
const description = multilineText('descrição', 2000)

const color = requiredString(requiredMessage('cor'), COLOR_MESSAGE).check(
  z.trim(),
  refineOrStop((value) => value !== '', requiredMessage('cor')),
  z.regex(/^#[\da-fA-F]{6}$/, COLOR_MESSAGE),
  z.describe('Na forma `#RRGGBB`.'),
)

/**
 * Texts of a list must differ, without case and accents. Each repetition of a valid text is
 * reported, even if other items are invalid.
 * @param path of the text in an item
 */
function differentTexts<Item>(
  schema: z.ZodMiniType<string>,
  textOf: (item: Item) => unknown,
  path: string[],
  message: string,
) {
  return z.check<Item[]>(
    ({ value, issues }) => {
      const seen = new Set<string>()
      for (const [index, item] of value.entries()) {
        const text = schema.safeParse(textOf(item)).data
        if (text === undefined || fold(text) === '') continue

        if (seen.has(fold(text))) {
          issues.push({
            code: 'custom',
            path: [index, ...path],
            message,
            input: text,
            continue: true,
          })
        }
        seen.add(fold(text))
      }
    },
    { when: ({ value }) => Array.isArray(value) },
  )
}

const group = {
  name: name.check(
    z.describe('A capa mostra as linhas de sigilo que `COVER_TEXTS` tem para este nome.'),
  ),
  color,
  description,
  questionnaires: z.nullish(
    maxItems(
      MAX_QUESTIONNAIRES,
      TOO_MANY_QUESTIONNAIRES,
      z.array(title, 'O campo questionários deve ser uma lista.').check(
        differentTexts(title, (text) => text, [], QUESTIONNAIRE_MESSAGES.title),
        z.describe('Os títulos dos questionários do grupo.'),
      ),
    ),
  ),
}

/** The body of POST /processes/{process}/groups. */
export const createGroupBody = z.object(group)

/** The body of POST /groups/{group}/questionnaires. */
export const createQuestionnaireBody = z.object({ title })

/** The body of POST /processes: with groups of its own, those of another process, or none. */
export const createProcessBody = z
  .object({
    name,
    protocol,
    groups: z.nullish(
      maxItems(
        MAX_GROUPS,
        TOO_MANY_GROUPS,
        z
          .array(
            z.object(group, 'Cada grupo deve ser um objeto.'),
            'O campo grupos deve ser uma lista.',
          )
          .check(
            differentTexts(
              name,
              (item: { name?: unknown } | null) => item?.name,
              ['name'],
              GROUP_MESSAGES.name,
            ),
            z.describe('Os grupos do processo, em vez de `groups_of`.'),
          ),
      ),
    ),
    groups_of: z.nullish(
      uuid(PROCESS_MESSAGES.groups_of).check(
        z.describe(
          'O processo do qual copiar grupos e questionários, em vez de `groups`.',
        ),
      ),
    ),
  })
  .check(
    crossFieldRule<{ groups?: unknown; groups_of?: unknown }>(
      [], // whether both are sent counts, not whether they are valid
      ({ groups, groups_of }) => groups == null || groups_of == null,
      'Informe os grupos ou o processo de que copiá-los.',
    ),
  )

/** The bodies of PATCH. No field can be removed. */
export const updateProcessBody = patchOf({
  name: z.optional(name),
  protocol: z.optional(protocol),
})
export const updateGroupBody = patchOf({
  name: z.optional(name),
  color: z.optional(color),
  description: z.optional(description),
})
export const updateQuestionnaireBody = patchOf({ title: z.optional(title) })

/** The query of GET /processes. */
export const processesQuery = z.object({
  search: searchParameter,
  ...pageParameters(),
})
