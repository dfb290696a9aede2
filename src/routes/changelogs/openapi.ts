import * as z from 'zod'
import {
  changelogsQuery,
  createEntryBody,
  publishBody,
  updateEntryBody,
} from './schemas.ts'
import { syncBody } from './sync-schemas.ts'
import { CHANGELOG_CATEGORIES } from '#domain/changelog.ts'
import { VERSION_PATTERN } from '#domain/versions.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { change, confirm, create, list, show, type Resource } from '#openapi/operation.ts'
import {
  integer,
  nullableText,
  success,
  text,
  timestamps,
  uuid,
} from '#openapi/schemas.ts'

const example = {
  version: 'v1.2.0',
  date: '2026-01-31',
  title: 'Busca sem acentos',
  description: 'A busca de funções encontra Cônego por conego.',
  category: 'Melhoria',
} as const

const ChangelogEntry = z
  .strictObject({
    id: uuid,
    version: z
      .string()
      .regex(VERSION_PATTERN)
      .meta({ examples: [example.version] }),
    date: z.iso.date().meta({ examples: [example.date] }),
    title: text(example.title),
    description: text(example.description),
    category: z.enum(CHANGELOG_CATEGORIES).meta({ examples: [example.category] }),
    is_published: z.boolean().meta({ examples: [true] }),
    git_commit_hash: nullableText('ba7b0f3ba671'),
    ...timestamps,
  })
  .meta({ id: 'ChangelogEntry' })

export const changelogsApi = {
  tag: 'Changelogs',
  description: 'O que mudou no serviço, importado do git e revisado antes da publicação.',
  pathParameters: {
    changelog: {
      description: 'O identificador do registro.',
      notFound: errors.entryNotFound,
    },
  },
  operations: {
    'GET /v1/changelogs': list(ChangelogEntry, {
      id: 'listChangelogs',
      scope: 'changelogs:write',
      summary: 'Lista as atualizações publicadas e, para administradores, os rascunhos',
      description:
        'As mais novas primeiro. Os filtros se combinam, e as duas datas são inclusivas.',
      access: 'optional',
      query: changelogsQuery,
      cache: 'published',
      errors: [errors.secondFactorRequired, errors.administratorsOnly],
    }),
    'GET /v1/changelogs/:changelog': show(ChangelogEntry, {
      id: 'readChangelog',
      scope: 'changelogs:write',
      summary: 'Mostra um registro',
      description: 'Só administradores veem rascunhos.',
      access: 'optional',
      cache: 'published',
      errors: [errors.secondFactorRequired],
    }),
    'POST /v1/changelogs': create(ChangelogEntry, messages.entryCreated, {
      id: 'createChangelog',
      scope: 'changelogs:write',
      summary: 'Cria um registro',
      description: 'Fica como rascunho, a menos que `is_published` seja `true`.',
      body: { schema: createEntryBody, example: { ...example, is_published: true } },
    }),
    'PUT /v1/changelogs/:changelog': change(ChangelogEntry, messages.entryUpdated, {
      id: 'updateChangelog',
      scope: 'changelogs:write',
      summary: 'Altera os campos enviados de um registro',
      description:
        'Envie ao menos um campo; `null` equivale a não enviar. Para publicar, envie ' +
        '`is_published`.',
      body: { schema: updateEntryBody, example: { is_published: true } },
    }),
    'DELETE /v1/changelogs/:changelog': confirm(messages.entryDeleted, {
      id: 'deleteChangelog',
      scope: 'changelogs:write',
      summary: 'Exclui um registro',
      description: 'O commit de um registro excluído não é importado de novo.',
    }),
    'POST /v1/changelogs/publish': {
      id: 'publishChangelogs',
      scope: 'changelogs:write',
      summary: 'Publica os rascunhos de uma versão ou alguns registros, ou os retira',
      description:
        'Envie `version` ou `ids`. `published` conta os que eram rascunhos. Se um ' +
        'identificador não existe, nada é publicado. Com `is_published: false`, os ' +
        'registros voltam a ser rascunhos, e `unpublished` conta os que estavam ' +
        'publicados. `entries` traz no máximo os 1.000 mais novos deles.',
      body: { schema: publishBody, example: { version: example.version } },
      response: success({
        data: z.strictObject({
          published: integer(1).optional(),
          unpublished: z.int().optional(),
          entries: z.array(ChangelogEntry),
        }),
        message: z.enum([messages.entriesPublished, messages.entriesUnpublished]),
      }),
    },
    'POST /v1/changelogs/sync-from-git': {
      id: 'syncFromGit',
      scope: 'changelogs:write',
      summary: 'Importa rascunhos dos commits enviados ou do repositório configurado',
      description:
        'Só administradores enviam commits; sem corpo, qualquer usuário importa do ' +
        'repositório configurado, até seis vezes por minuto. Os commits já importados são ' +
        'pulados: repetir não muda nada. Só administradores veem os rascunhos na resposta.',
      access: 'user',
      body: {
        schema: syncBody,
        example: {
          commits: [
            {
              hash: 'ba7b0f3ba671',
              message: 'feat: busca sem acentos',
              date: '2026-01-31T12:00:00Z',
            },
          ],
        },
        isOptional: true,
      },
      isRateLimited: true,
      response: success({
        data: z.strictObject({
          imported: integer(1),
          skipped: integer(0).meta({ description: 'Commits já conhecidos e merges.' }),
          entries: z.array(ChangelogEntry),
        }),
        message: z.literal(messages.entriesImported),
      }),
      errors: [errors.administratorsOnly, errors.repositoryUnavailable],
    },
  },
} satisfies Resource
