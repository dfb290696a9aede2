import { describe, expect, it } from 'vitest'
import { administratorToken, callJson } from '../support/helper.ts'

/** Marks of different classes, which ICU reorders in quadratic time. */
const MARKS = '\u0345\u0334\u0323'

describe('a hostile text', () => {
  it.each([
    ['/auth/login', 'email', (text: string) => ({ email: text, password: 'x' })],
    ['/auth/password/forgot', 'email', (text: string) => ({ email: text })],
    ['/informers', 'first_name', (text: string) => ({ first_name: text })],
    [
      '/categories',
      'description',
      (text: string) => ({ name: 'Cargo', description: text }),
    ],
  ])(
    'of 60 KiB of combining marks is too long for POST /v1%s',
    async (path, field, bodyOf) => {
      const body = bodyOf(`a${MARKS.repeat(9_900)}`)
      const token = path.startsWith('/auth') ? undefined : await administratorToken()
      const { status, body: response } = await callJson(path, { body, token })
      expect(status).toBe(422)
      expect(response.errors[field]).toContainEqual(
        expect.stringMatching(/^O campo \S+ deve ter no máximo [\d.]+ caracteres\.$/),
      )
    },
  )

  it('as a title of a questionnaire is 422', async () => {
    const title = `a${MARKS.repeat(9_900)}`
    const group = {
      name: 'G',
      color: '#000000',
      description: 'x',
      questionnaires: [title],
    }
    const { status } = await callJson('/processes', {
      token: await administratorToken(),
      body: { name: 'P', protocol: 'P', groups: [group] },
    })
    expect(status).toBe(422)
  })

  it.each([
    [30, 201],
    [31, 422],
  ])(
    'of %i marks in a row is %i (UAX #15, Stream-Safe Text Format)',
    async (count, status) => {
      const response = await callJson('/informers', {
        token: await administratorToken(),
        body: { first_name: `a${MARKS.repeat(11).slice(0, count)}` },
      })
      expect(response.status).toBe(status)
    },
  )
})
