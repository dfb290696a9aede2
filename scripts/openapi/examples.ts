import type * as z from 'zod'
import type { answers } from './answers.ts'

const timestamps = { created_at: '2026-01-31T12:00:00.123000Z', updated_at: '2026-01-31T12:00:00.123000Z' }

const role = {
  id: 1,
  name: 'Informante',
  slug: 'informer',
  description: 'Pessoa consultada em segredo sobre a provisão de uma sede.',
} as const

const ana = {
  id: '96b020d2-151e-4c87-9aad-b90a90487bc2',
  first_name: 'Ana',
  last_name: 'da Silva Souza',
  full_name: 'Ana da Silva Souza',
  email: 'ana@example.org',
}

const pair = {
  process: {
    id: 'ef427ca0-e865-4b1b-9440-6d84dbf6384a',
    name: 'Provisão da Diocese de Vila Serena',
    protocol: 'BR-2026-001',
  },
  group: { id: '6faa304f-e739-48a3-a646-5a943bcb1364', name: 'Grupo 3' },
  cover_texts: { line_1: 'SOB SEGREDO PONTIFÍCIO', line_2: null },
}

const category = {
  id: 47,
  name: 'Cônego',
  description: 'Sacerdote nomeado cônego, capitular ou honorário, de cabido catedralício ou colegiado.',
  active: true,
}

const pagination = {
  current_page: 1,
  per_page: 12,
  total: 1,
  last_page: 1,
  from: 1,
  to: 1,
  has_more_pages: false,
}

const entry = {
  id: '6408daf5-e10c-4703-86b6-d9ca5a295a45',
  version: 'v1.2.0',
  date: '2026-01-31',
  title: 'Busca sem acentos',
  description: 'A busca de funções encontra Cônego por conego.',
  category: 'Melhoria',
  is_published: false,
  git_commit_hash: null,
  ...timestamps,
} as const

const published = { ...entry, is_published: true }

/** An example of every answer of success. */
export const examples: { [Name in keyof typeof answers]: z.infer<(typeof answers)[Name]> } = {
  login: {
    success: true,
    data: {
      access_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5NmIwMjBkMiJ9.c2lnbmF0dXJl',
      token_type: 'Bearer',
      expires_in: 3600,
      user: { ...ana, role },
    },
  },
  emailVerified: { success: true, message: 'Email confirmado com sucesso.' },
  emailResent: {
    success: true,
    message: 'Se houver um cadastro à espera de confirmação, um novo email será enviado.',
  },
  cover: {
    success: true,
    data: {
      informer: ana,
      ...pair,
      processes_groups: [{ ...pair, is_concluded: false, questionnaire_status: 'Pendente' }],
    },
  },
  informerCreated: {
    success: true,
    data: {
      id: 'f701f383-accd-41f8-87c0-acf0639195c9',
      first_name: 'João',
      last_name: 'da Silva Santos',
      full_name: 'João da Silva Santos',
      initials: 'JSS',
      email: null,
      cpf: '52998224725',
      phone: null,
      img_url: null,
      role,
      category,
      treatment_pronoun: null,
      diocese: { id: 2, name: 'Diocese de Rio Branco', state: 'AC', active: true },
      process: null,
      group: null,
      ...timestamps,
    },
    message: 'Informante criado com sucesso.',
    email_verification_required: false,
  },
  categories: { success: true, data: [{ ...category, ...timestamps }], pagination },
  entries: { success: true, data: [published], pagination },
  entry: { success: true, data: published },
  entryCreated: { success: true, data: entry, message: 'Registro criado com sucesso.' },
  entryUpdated: { success: true, data: published, message: 'Registro atualizado com sucesso.' },
  entryDeleted: { success: true, message: 'Registro excluído com sucesso.' },
  synced: {
    success: true,
    data: { imported: 1, skipped: 0, entries: [{ ...entry, git_commit_hash: 'ba7b0f3ba671' }] },
    message: 'Sincronização concluída.',
  },
  health: { success: true, data: { status: 'ok', version: 'ba7b0f3b-a671-4e68-a006-15e4e2d686d4' } },
}
