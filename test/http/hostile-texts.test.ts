import { describe, expect, it, vi } from 'vitest'
import { administratorToken, callJson } from '../support/helper.ts'

/** 60 KiB of marks of different classes, which are reordered in quadratic time. */
const MARKS = `a${'\u0345\u0334\u0323'.repeat(9_900)}`

/** Sends a request as an administrator; also returns the texts that it normalizes. */
async function normalizedBy(path: string, body?: object) {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  const response = await callJson(path, { token: await administratorToken(), body })
  const texts = normalize.mock.contexts.map(String)
  normalize.mockRestore()
  return { ...response, texts }
}

const INVALID = [expect.stringMatching(/ contém caracteres inválidos\.$/)]
const TOO_LONG = [expect.stringMatching(/ deve ter no máximo [\d.]+ caracteres\.$/)]

describe('a text of 60 KiB of combining marks', () => {
  const group = { name: 'G', color: '#000000', description: 'x', questionnaires: [MARKS] }
  it.each([
    ['POST /v1/auth/login', '/auth/login', 'email', { email: MARKS, password: 'x' }],
    ['POST /v1/informers', '/informers', 'first_name', { first_name: MARKS }],
    [
      'POST /v1/categories',
      '/categories',
      'description',
      { name: 'Cargo', description: MARKS },
    ],
    [
      'POST /v1/processes',
      '/processes',
      'groups.0.questionnaires.0',
      { name: 'P', protocol: 'P', groups: [group] },
    ],
    [
      'GET /v1/categories',
      `/categories?search=${encodeURIComponent(MARKS)}`,
      'search',
      undefined,
    ],
  ])('%s refuses it, and does not normalize it', async (_, path, field, body) => {
    const { status, body: response, texts } = await normalizedBy(path, body)
    const messages = field === 'search' ? TOO_LONG : INVALID
    expect([status, response.errors]).toMatchObject([422, { [field]: messages }])
    expect(texts.filter((text) => text.length > 300)).toEqual([])
  })
})
