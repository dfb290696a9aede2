import { describe, expect, it } from 'vitest'
import { operations } from '../../scripts/build/openapi/operations.ts'
import { callJson } from '../support/helper.ts'
import { newRequest } from '../support/routes.ts'
import { storedRows } from '../support/stored.ts'

const KIB = 1024
const NOT_JSON = { status: 400, message: 'O corpo da requisição não é um JSON válido.' }
const NOT_OBJECT = {
  status: 400,
  message: 'O corpo da requisição deve ser um objeto JSON.',
}
const TOO_LARGE = { status: 413, message: 'O corpo da requisição é grande demais.' }
const WRONG_TYPE = {
  status: 415,
  message: 'O corpo da requisição deve ser application/json.',
}

const type = (value: string) => ({ 'Content-Type': value })

/** A JSON object of some bytes. */
const padded = (bytes: number) => `{"x":"${'a'.repeat(bytes - '{"x":""}'.length)}"}`

const bytesOf = (...bytes: number[]) => new Uint8Array(bytes)

/** A connection that is lost while the body is on its way. */
const broken = () =>
  new ReadableStream({
    start: (controller) => controller.error(new Error('Network connection lost.')),
  })

const login = (body: unknown, headers: Record<string, string>) =>
  callJson('/auth/login', { method: 'POST', body, headers })

describe('the body of POST /v1/auth/login', () => {
  it.each([
    ['nothing', undefined, {}, NOT_JSON],
    ['nothing with a type', '', {}, NOT_JSON],
    ['broken JSON', '{"a":', {}, NOT_JSON],
    ['a lone brace', '}', {}, NOT_JSON],
    ['invalid UTF-8', bytesOf(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), {}, NOT_JSON],
    ['a list', '[]', {}, NOT_OBJECT],
    ['null', 'null', {}, NOT_OBJECT],
    ['a text', '"x"', {}, NOT_OBJECT],
    ['a number', '1', {}, NOT_OBJECT],
    ['a form', 'a=b', type('application/x-www-form-urlencoded'), WRONG_TYPE],
    ['text', '{}', type('text/plain'), WRONG_TYPE],
    ['no type', bytesOf(0x7b, 0x7d), type(''), WRONG_TYPE],
    ['a type that only begins like JSON', '{}', type('application/jsonx'), WRONG_TYPE],
    ['a type that only ends like JSON', '{}', type('text/application/json'), WRONG_TYPE],
    ['a merge patch', '{}', type('application/merge-patch+json'), WRONG_TYPE],
    ['one byte too many', padded(64 * KIB + 1), {}, TOO_LARGE],
    ['too many, of another type', padded(64 * KIB + 1), type('text/plain'), TOO_LARGE],
    ['chunks without end', () => new Blob([padded(65 * KIB)]).stream(), {}, TOO_LARGE],
    ['what breaks off', broken, {}, NOT_JSON],
  ])('is refused as %s', async (_, body, headers, { status, message }) => {
    const sent = typeof body === 'function' ? body() : body
    const response = await login(sent, headers)
    expect([response.status, response.body]).toEqual([
      status,
      { success: false, message },
    ])
  })

  it.each([
    ['a charset', '{}', type('application/json; charset=utf-8')],
    ['a type in upper case', '{}', type('APPLICATION/JSON')],
    ['a byte order mark', '\ufeff{}', {}],
    ['exactly the limit', padded(64 * KIB), {}],
    ['deep nesting', `{"x":${'['.repeat(9000)}${']'.repeat(9000)}}`, {}],
    ['__proto__', '{"__proto__":{"password":"y","email":"z"}}', {}],
  ])('is read with %s', async (_, body, headers) => {
    expect((await login(body, headers)).status).toBe(422)
  })
})

const WITH_BODY = Object.entries(operations).flatMap(([name, { body }]) =>
  body ? [name.replace(/:(\w+)/g, '{$1}')] : [],
)

it.each(WITH_BODY)(
  '%s refuses a body that is too large, of another type or no JSON',
  async (name) => {
    const { path, call } = await newRequest(name)
    const maxBytes = name === 'POST /v1/changelogs/sync-from-git' ? 1024 * KIB : 64 * KIB
    const before = await storedRows()
    for (const [body, headers, { status, message }] of [
      [padded(maxBytes + 1), {}, TOO_LARGE],
      ['{}', type('text/plain'), WRONG_TYPE],
      ['{', {}, NOT_JSON],
    ] as const) {
      const response = await callJson(path, { ...call, body, headers })
      expect([response.status, response.body]).toEqual([
        status,
        { success: false, message },
      ])
    }
    expect(await storedRows()).toEqual(before)
  },
)
