import { describe, expect, it } from 'vitest'
import { ENTRY } from '../support/changelogs.ts'
import { fieldErrors } from '#http/request/validation.ts'
import { createEntryBody } from '#routes/changelogs/schemas.ts'

const form = 'A versão deve ter a forma v<maior>.<menor>.<correção>.'
const day = 'A data deve ser uma data real na forma AAAA-MM-DD.'

describe('createEntryBody', () => {
  it.each([
    ['version', undefined, 'O campo versão é obrigatório.'],
    ['version', null, 'O campo versão é obrigatório.'],
    ['version', ' ', 'O campo versão é obrigatório.'],
    ['version', 1, 'O campo versão deve ser um texto.'],
    ['version', '2.0.0', form],
    ['version', 'v2.0.00', form],
    ['version', 'v2.0.0.0', form],
    ['version', 'V2.0.0', form],
    ['version', 'v2.0.9999999999999999', form],
    ['date', undefined, 'O campo data é obrigatório.'],
    ['date', '2026-02-29', day],
    ['date', '2026-13-01', day],
    ['date', '2026-02-01T00:00:00Z', day],
    ['date', '0000-01-01', day],
    ['title', '', 'O campo título é obrigatório.'],
    ['title', 'é'.repeat(256), 'O campo título deve ter no máximo 255 caracteres.'],
    ['title', 'a\nb', 'O campo título contém caracteres inválidos.'],
    ['description', undefined, 'O campo descrição é obrigatório.'],
    ['description', '\n', 'O campo descrição é obrigatório.'],
    ['description', '\u200b', 'O campo descrição é obrigatório.'],
    ['description', ['x'], 'O campo descrição deve ser um texto.'],
    [
      'description',
      'x'.repeat(10_001),
      'O campo descrição deve ter no máximo 10.000 caracteres.',
    ],
    ['description', 'a\u0000b', 'O campo descrição contém caracteres inválidos.'],
    ['category', undefined, 'O campo categoria é obrigatório.'],
    [
      'category',
      'Outra',
      'A categoria deve ser uma destas: Nova Funcionalidade, Correção, Melhoria, Atualização.',
    ],
    ['is_published', 'true', 'O campo publicado deve ser verdadeiro ou falso.'],
    ['is_published', 1, 'O campo publicado deve ser verdadeiro ou falso.'],
    [
      'git_commit_hash',
      'abcdef',
      'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.',
    ],
    [
      'git_commit_hash',
      'g'.repeat(40),
      'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.',
    ],
    [
      'git_commit_hash',
      'a'.repeat(65),
      'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.',
    ],
    ['git_commit_hash', '', 'O hash do commit deve ter de 7 a 64 dígitos hexadecimais.'],
  ])('rejects %s %j', (field, value, message) => {
    const { error } = createEntryBody.safeParse({ ...ENTRY, [field]: value })
    expect(error && fieldErrors(error)).toEqual({ [field]: [message] })
  })
})
