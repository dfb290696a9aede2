import * as z from 'zod/mini'
import {
  CHANGELOG_CATEGORIES,
  COMMIT_HASH,
  MAX_DESCRIPTION,
  MAX_TITLE,
} from '#domain/changelog.ts'
import { isDate } from '#domain/timestamps.ts'
import { VERSION_PATTERN, type Version } from '#domain/versions.ts'
import {
  crossFieldRule,
  multilineText,
  patchOf,
  refineOrStop,
  requiredText,
} from '#http/request/fields.ts'
import {
  booleanParameter,
  choiceParameter,
  dateRangeInOrder,
  dateRangeParameters,
  pageParameters,
  versionParameter,
} from '#http/request/query-parameters.ts'

const VERSION_MESSAGE = 'A versão deve ter a forma v<maior>.<menor>.<correção>.'
const DATE_MESSAGE = 'A data deve ser uma data real na forma AAAA-MM-DD.'
const CATEGORY_MESSAGE = `A categoria deve ser uma destas: ${CHANGELOG_CATEGORIES.join(', ')}.`
const HASH_MESSAGE = 'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.'

export const version = z.pipe(
  requiredText('versão', 50).check(
    z.regex(VERSION_PATTERN, VERSION_MESSAGE),
    z.describe('Como `v1.2.0`.'),
  ),
  z.transform((text) => text as Version), // guaranteed by the pattern
)

/** Client generators refuse an enum or a date with a length. */
const WITHOUT_LENGTH = { minLength: undefined, maxLength: undefined }

const date = requiredText('data', 50).check(
  z.refine(isDate, DATE_MESSAGE),
  z.meta({ format: 'date', ...WITHOUT_LENGTH }),
)

const category = z.pipe(
  requiredText('categoria', 50).check(
    z.meta({ enum: CHANGELOG_CATEGORIES, ...WITHOUT_LENGTH }),
  ),
  z.enum(CHANGELOG_CATEGORIES, CATEGORY_MESSAGE),
)

/** Case-insensitive. */
export const commitHash = z
  .string(HASH_MESSAGE)
  .check(z.trim(), z.toLowerCase(), z.regex(COMMIT_HASH, HASH_MESSAGE))

const entryCommit = commitHash.check(
  z.describe('O commit a que o registro se refere, único entre os registros.'),
)

const title = requiredText('título', MAX_TITLE)

const description = multilineText('descrição', MAX_DESCRIPTION)

const isPublished = z
  .boolean('O campo publicado deve ser verdadeiro ou falso.')
  .check(
    z.describe('Com `false`, o registro é um rascunho, que só administradores veem.'),
  )

/** The body of POST /changelogs. */
export const createEntryBody = z.object({
  version,
  date,
  title,
  description,
  category,
  is_published: z.nullish(isPublished),
  git_commit_hash: z.nullish(entryCommit),
})

/** A field that may be absent or null. */
const ifSent = <Field extends z.ZodMiniType>(field: Field) =>
  z.pipe(
    z.nullish(field),
    z.transform((value) => value ?? undefined),
  )

/** The body of PUT /changelogs/{changelog}: at least one field. */
export const updateEntryBody = patchOf({
  version: ifSent(version),
  date: ifSent(date),
  title: ifSent(title),
  description: ifSent(description),
  category: ifSent(category),
  is_published: ifSent(isPublished),
  git_commit_hash: ifSent(entryCommit),
})

/** Entries per request. */
const MAX_IDS = 1000
const IDS_MESSAGE = 'Os registros devem ser uma lista de identificadores.'

/** The body of POST /changelogs/publish: either a version or entry ids, to publish or unpublish. */
export const publishBody = z
  .object({
    version: z.nullish(version),
    ids: z.nullish(
      z.pipe(
        z.array(z.unknown(), IDS_MESSAGE).check(
          refineOrStop(
            (ids) => ids.length <= MAX_IDS,
            'Envie no máximo 1.000 registros por vez.',
          ),
          z.refine((ids) => ids.every((id) => typeof id === 'string'), IDS_MESSAGE),
          z.meta({
            items: { type: 'string' },
            maxItems: MAX_IDS,
            description: 'Os registros, em vez de `version`.',
          }),
        ),
        z.transform((ids) => ids.map((id) => String(id).trim().toLowerCase())),
      ),
    ),
    is_published: z.nullish(isPublished),
  })
  .check(
    crossFieldRule<{ version?: unknown; ids?: unknown }>(
      [], // whether both are sent counts, not whether they are valid
      ({ version, ids }) => (version == null) !== (ids == null),
      'Informe a versão ou os registros.',
    ),
    z.meta({
      oneOf: [
        {
          type: 'object',
          properties: { version: { type: 'string' } },
          required: ['version'],
        },
        {
          type: 'object',
          properties: { ids: { type: 'array', items: { type: 'string' } } },
          required: ['ids'],
        },
      ],
    }),
  )

/** The query of GET /changelogs. */
export const changelogsQuery = z
  .object({
    category: choiceParameter(
      'category',
      CHANGELOG_CATEGORIES,
      'Só os registros desta categoria.',
    ),
    version: versionParameter,
    is_published: booleanParameter(
      'is_published',
      ['true', 'false', '1', '0'],
      'Só os publicados ou, para administradores, só os rascunhos.',
    ),
    ...dateRangeParameters(),
    ...pageParameters(),
  })
  .check(dateRangeInOrder())

/** Messages for rules that only the database can check. */
export const ENTRY_MESSAGES = { git_commit_hash: 'Este commit já está registrado.' }

/** Messages for entries to publish that do not exist. */
export const PUBLISH_MESSAGES = {
  version: 'Não há registros desta versão.',
  ids: 'Há registros que não existem.',
}
