import * as z from 'zod'
import { CHANGELOG_CATEGORIES } from '../../src/domain/changelog.ts'
import { VERSION_FORM } from '../../src/domain/versions.ts'

const uuid = z.uuid().meta({ example: '0b6f3a52-8d4b-4d6e-9a63-0c8d2a4a8a11' })
const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({ description: 'UTC com microssegundos', example: '2026-01-31T12:00:00.123000Z' })
const success = z.literal(true)
const optionalText = z.string().nullable()
const timestamps = { created_at: moment, updated_at: moment }

const role = z
  .strictObject({
    id: z.int(),
    name: z.enum(['Informante', 'Administrador']),
    slug: z.enum(['informer', 'administrator']),
    description: z.string(),
  })
  .meta({ id: 'Role' })

const described = { id: z.int(), name: z.string(), description: z.string(), active: z.boolean() }
const category = z.strictObject(described).meta({ id: 'CategoryReference' })
const pronoun = z.strictObject(described).meta({ id: 'TreatmentPronoun' })
const diocese = z
  .strictObject({ id: z.int(), name: z.string(), state: z.string().regex(/^[A-Z]{2}$/), active: z.boolean() })
  .meta({ id: 'Diocese' })
const process = z.strictObject({ id: uuid, name: z.string(), protocol: z.string() }).meta({ id: 'Process' })
const group = z
  .strictObject({
    id: uuid,
    name: z.string(),
    color: z.string().regex(/^#[0-9A-Fa-f]{6}$/),
    description: z.string(),
  })
  .meta({ id: 'Group' })
const groupReference = z.strictObject({ id: uuid, name: z.string() }).meta({ id: 'GroupReference' })
const coverTexts = z.strictObject({ line_1: optionalText, line_2: optionalText }).meta({ id: 'CoverTexts' })

const pagination = z
  .strictObject({
    current_page: z.int(),
    per_page: z.int(),
    total: z.int(),
    last_page: z.int(),
    from: z.int(),
    to: z.int(),
    has_more_pages: z.boolean(),
  })
  .meta({ id: 'Pagination' })

const entry = z
  .strictObject({
    id: uuid,
    version: z.string().regex(VERSION_FORM),
    date: z.iso.date(),
    title: z.string(),
    description: z.string(),
    category: z.enum(CHANGELOG_CATEGORIES),
    is_published: z.boolean(),
    git_commit_hash: optionalText,
    ...timestamps,
  })
  .meta({ id: 'ChangelogEntry' })

const message = (text: string) => z.literal(text)

/** Every answer of success, by a name of its own. */
export const answers = {
  login: z.strictObject({
    success,
    data: z.strictObject({
      access_token: z.string(),
      token_type: z.literal('Bearer'),
      expires_in: z.int().meta({ description: 'em segundos' }),
      user: z.strictObject({
        id: uuid,
        first_name: z.string(),
        last_name: optionalText,
        full_name: z.string(),
        email: optionalText,
        role,
      }),
    }),
  }),
  emailVerified: z.strictObject({ success, message: message('Email confirmado com sucesso.') }),
  emailResent: z.strictObject({
    success,
    message: message('Se houver um cadastro à espera de confirmação, um novo email será enviado.'),
  }),
  cover: z.strictObject({
    success,
    data: z.strictObject({
      informer: z.strictObject({
        id: uuid,
        first_name: z.string(),
        last_name: optionalText,
        full_name: z.string(),
        email: optionalText,
      }),
      process,
      group: groupReference,
      cover_texts: coverTexts,
      processes_groups: z.array(
        z.strictObject({
          process,
          group: groupReference,
          cover_texts: coverTexts,
          is_concluded: z.boolean(),
          questionnaire_status: z.enum(['Pendente', 'Em andamento', 'Concluído']),
        }),
      ),
    }),
  }),
  informerCreated: z.strictObject({
    success,
    data: z.strictObject({
      id: uuid,
      first_name: z.string(),
      last_name: optionalText,
      full_name: z.string(),
      initials: z.string(),
      email: optionalText,
      cpf: optionalText,
      phone: optionalText,
      img_url: optionalText,
      role,
      category: category.nullable(),
      treatment_pronoun: pronoun.nullable(),
      diocese: diocese.nullable(),
      process: process.nullable(),
      group: group.nullable(),
      ...timestamps,
    }),
    message: message('Informante criado com sucesso.'),
    email_verification_required: z.boolean(),
  }),
  categories: z.strictObject({
    success,
    data: z.array(z.strictObject({ ...described, ...timestamps }).meta({ id: 'Category' })),
    pagination,
  }),
  entries: z.strictObject({ success, data: z.array(entry), pagination }),
  entry: z.strictObject({ success, data: entry }),
  entryCreated: z.strictObject({ success, data: entry, message: message('Registro criado com sucesso.') }),
  entryUpdated: z.strictObject({
    success,
    data: entry,
    message: message('Registro atualizado com sucesso.'),
  }),
  entryDeleted: z.strictObject({ success, message: message('Registro excluído com sucesso.') }),
  synced: z.strictObject({
    success,
    data: z.strictObject({ imported: z.int(), skipped: z.int(), entries: z.array(entry) }),
    message: message('Sincronização concluída.'),
  }),
  health: z.strictObject({ success, data: z.strictObject({ status: z.literal('ok'), version: z.string() }) }),
}

/** The envelope of failures, with the texts that a status may have. */
export const refusal = (texts: [string, ...string[]]) =>
  z.strictObject({ success: z.literal(false), message: z.enum(texts) })

export const invalidData = z
  .strictObject({
    message: message('Os dados fornecidos são inválidos.'),
    errors: z.record(z.string(), z.array(z.string()).min(1)),
  })
  .meta({ id: 'InvalidData' })
