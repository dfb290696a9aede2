import * as z from 'zod'
import {
  CHANGELOG_CATEGORIES,
  createEntryBody,
  publishBody,
  updateEntryBody,
} from '../../../src/domain/changelog.ts'
import { VERSION_PATTERN } from '../../../src/domain/versions.ts'
import { syncBody } from '../../../src/routes/changelogs-sync.ts'
import { changelogsQuery } from '../../../src/routes/changelogs.ts'
import type { Resource } from '../operation.ts'
import { integer, nullableText, page, success, text, timestamps, uuid } from '../schemas.ts'

const example = {
  version: 'v1.2.0',
  date: '2026-01-31',
  title: 'Busca sem acentos',
  description: 'A busca de funções encontra Cônego por conego.',
  category: 'Melhoria',
}

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

export const changelogs = {
  tag: 'Changelogs',
  description: 'O que mudou no serviço, importado do git e revisto antes de publicar.',
  pathParameters: { changelog: 'O identificador do registro.' },
  operations: {
    'GET /v1/changelogs': {
      id: 'listChangelogs',
      summary: 'As atualizações publicadas; a um administrador, também os rascunhos',
      description: 'A mais nova primeiro. Os filtros se combinam, e as duas datas são inclusivas.',
      access: 'optional',
      query: {
        schema: changelogsQuery,
        parameters: {
          category: 'Só os registros desta categoria.',
          version: 'Só os registros desta versão, como `v1.2.0`.',
          is_published: 'Só os publicados, ou só os rascunhos (administradores).',
          date_from: 'A partir desta data.',
          date_to: 'Até esta data.',
        },
        invalid: { page: '0', version: '1.2', date_from: '2026-02-30' },
      },
      response: page(ChangelogEntry),
      cache: 'published',
      errors: ['administratorsOnly'],
    },
    'GET /v1/changelogs/:changelog': {
      id: 'readChangelog',
      summary: 'Uma atualização',
      description: 'Um rascunho é visível só a um administrador.',
      access: 'optional',
      response: success({ data: ChangelogEntry }),
      cache: 'published',
      errors: ['entryNotFound'],
    },
    'POST /v1/changelogs': {
      id: 'createChangelog',
      summary: 'Cria um registro',
      description: 'Um rascunho, a menos que venha com `is_published`.',
      access: 'administrator',
      body: {
        schema: createEntryBody,
        example: { ...example, is_published: true },
        invalid: { ...example, version: '1.2', title: '', category: 'Outra' },
      },
      response: success({ data: ChangelogEntry, message: 'Registro criado com sucesso.' }),
      status: 201,
      takesIdempotencyKey: true,
    },
    'PUT /v1/changelogs/:changelog': {
      id: 'updateChangelog',
      summary: 'Altera os campos enviados de um registro',
      description: 'Ao menos um campo; `null` é como não enviado. Publicar é enviar `is_published`.',
      access: 'administrator',
      body: { schema: updateEntryBody, example: { is_published: true }, invalid: { date: '31/01/2026' } },
      response: success({ data: ChangelogEntry, message: 'Registro atualizado com sucesso.' }),
      errors: ['entryNotFound'],
    },
    'DELETE /v1/changelogs/:changelog': {
      id: 'deleteChangelog',
      summary: 'Exclui um registro',
      description: 'O commit de um registro excluído não é importado de novo.',
      access: 'administrator',
      response: success({ message: 'Registro excluído com sucesso.' }),
      errors: ['entryNotFound'],
    },
    'POST /v1/changelogs/publish': {
      id: 'publishChangelogs',
      summary: 'Publica os rascunhos de uma versão, ou alguns registros; ou os retira',
      description:
        'Envie `version` ou `ids`. `published` conta os que eram rascunhos. Se um identificador não existe, nada é publicado. Com `is_published: false` são retirados: `unpublished` conta os que estavam publicados.',
      access: 'administrator',
      body: { schema: publishBody, example: { version: example.version }, invalid: {} },
      response: z.union([
        success({
          data: z.strictObject({ published: integer(1), entries: z.array(ChangelogEntry) }),
          message: 'Registros publicados com sucesso.',
        }),
        success({
          data: z.strictObject({ unpublished: integer(1), entries: z.array(ChangelogEntry) }),
          message: 'Registros retirados com sucesso.',
        }),
      ]),
    },
    'POST /v1/changelogs/sync-from-git': {
      id: 'syncFromGit',
      summary: 'Importa rascunhos dos commits enviados, ou do repositório configurado',
      description:
        'Só um administrador envia commits; sem corpo, qualquer usuário importa do repositório configurado, até seis vezes por minuto. Um commit já importado é pulado, e assim repetir nada muda. Para históricos de várias chamadas, tags são as do repositório além dos commits enviados, e bump é o mínimo que a próxima versão sobe.',
      access: 'user',
      body: {
        schema: syncBody,
        example: {
          commits: [
            { hash: 'ba7b0f3ba671', message: 'feat: busca sem acentos', date: '2026-01-31T12:00:00Z' },
          ],
        },
        invalid: { tags: 'v1.0.0', bump: 'enorme' },
        isOptional: true,
      },
      response: success({
        data: z.strictObject({
          imported: integer(1),
          skipped: integer(0).meta({ description: 'Commits já conhecidos, e merges.' }),
          entries: z.array(ChangelogEntry),
        }),
        message: 'Sincronização concluída.',
      }),
      errors: ['administratorsOnly', 'tooManyRequests', 'repositoryUnavailable'],
    },
  },
} satisfies Resource
