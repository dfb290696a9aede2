import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/domain/folding.ts'

describe('fold', () => {
  it.each([
    ['Cônego', 'conego'],
    ['NÚNCIO APOSTÓLICO', 'nuncio apostolico'],
    ['Ação', 'acao'],
    ['Ação'.normalize('NFD'), 'acao'],
    ['Ñandeva Guaraní ỹ ẽ', 'nandeva guarani y e'],
    ['Łódź, Ø e Šimon', 'lodz, o e simon'],
    ['ŒUVRE ÆON Þór Ķekava Ŵ', 'œuvre æon þor kekava w'],
    ['100% _ " * \\', '100% _ " * \\'],
  ])('makes %s into %s', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  it('is what the database does when a row is written', async () => {
    const accented = fc.constantFrom(...'aZÀÿçÇĩŨẼỹŸŁżŞ 9%_"*\\', '\u0301', 'ß', 'Œ', 'Ж', '😀')
    const text = fc.oneof(
      fc.string({ unit: accented, minLength: 1 }),
      fc.string({ minLength: 1, unit: 'grapheme' }),
    )
    const texts = fc.sample(text, 300).filter((sample) => !sample.includes('\0'))
    await env.DB.prepare(
      "insert into categories (name, description) select key || '.' || value, value from json_each(?)",
    )
      .bind(JSON.stringify(texts))
      .run()
    const { results } = await env.DB.prepare(
      'select name, description, name_folded, description_folded from categories',
    ).all<Record<'name' | 'description' | 'name_folded' | 'description_folded', string>>()
    expect(results.length).toBeGreaterThan(texts.length)
    for (const row of results) {
      expect(row.name_folded).toBe(fold(row.name))
      expect(row.description_folded).toBe(fold(row.description))
    }
  })
})
