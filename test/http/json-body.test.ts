import { describe, expect, it } from 'vitest'
import { administratorToken, callJson } from '../support/helper.ts'

const errorBody = (message: string) => ({ success: false, message })

const notJson = 'O corpo da requisição não é um JSON válido.'
const notObject = 'O corpo da requisição deve ser um objeto JSON.'
const tooLarge = 'O corpo da requisição é grande demais.'
const wrongType = 'O corpo da requisição deve ser application/json.'
const KIB = 1024
const padded = (bytes: number) => {
  const frame = JSON.stringify({ x: '' }).length
  return JSON.stringify({ x: 'a'.repeat(bytes - frame) })
}
/** A connection that is lost while the body is on its way. */
const broken = () =>
  new ReadableStream({
    start: (controller) => controller.error(new Error('Network connection lost.')),
  })
const stream = (text: string) => new Blob([text]).stream()

describe.each([
  ['/auth/login', undefined],
  ['/informers', administratorToken],
] as const)('the body of POST /v1%s', (path, token) => {
  it.each([
    ['nothing', undefined, {}, 400, notJson],
    ['nothing with a type', '', {}, 400, notJson],
    ['broken JSON', '{"a":', {}, 400, notJson],
    ['a lone brace', '}', {}, 400, notJson],
    [
      'invalid UTF-8',
      new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      {},
      400,
      notJson,
    ],
    ['a list', '[]', {}, 400, notObject],
    ['null', 'null', {}, 400, notObject],
    ['a text', '"x"', {}, 400, notObject],
    ['a number', '1', {}, 400, notObject],
    [
      'a form',
      'a=b',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      415,
      wrongType,
    ],
    ['text', '{}', { 'Content-Type': 'text/plain' }, 415, wrongType],
    ['no type', new Uint8Array([0x7b, 0x7d]), { 'Content-Type': '' }, 415, wrongType],
    [
      'a type that only begins like JSON',
      '{}',
      { 'Content-Type': 'application/jsonx' },
      415,
      wrongType,
    ],
    [
      'a type that only ends like JSON',
      '{}',
      { 'Content-Type': 'text/application/json' },
      415,
      wrongType,
    ],
    ['one byte too many', padded(64 * KIB + 1), {}, 413, tooLarge],
    [
      'one byte too many, of another type',
      padded(64 * KIB + 1),
      { 'Content-Type': 'text/plain' },
      413,
      tooLarge,
    ],
    ['a chunked body without end', 'CHUNKED', {}, 413, tooLarge],
    ['a body that breaks off', 'BROKEN', {}, 400, notJson],
  ])('rejects %s', async (_, body, headers, status, message) => {
    const response = await callJson(path, {
      method: 'POST',
      token: await token?.(),
      body:
        body === 'CHUNKED'
          ? stream(padded(65 * KIB))
          : body === 'BROKEN'
            ? broken()
            : body,
      headers,
    })
    expect([response.status, response.body]).toEqual([status, errorBody(message)])
  })

  it.each([
    ['a charset', '{}', { 'Content-Type': 'application/json; charset=utf-8' }],
    ['a type in upper case', '{}', { 'Content-Type': 'APPLICATION/JSON' }],
    ['a byte order mark', '\ufeff{}', {}],
    ['exactly the limit', padded(64 * KIB), {}],
    ['deep nesting', `{"x":${'['.repeat(9000)}${']'.repeat(9000)}}`, {}],
    ['__proto__', '{"__proto__":{"first_name":"x","password":"y","email":"z"}}', {}],
  ])('is read with %s', async (_, body, headers) => {
    const response = await callJson(path, {
      method: 'POST',
      token: await token?.(),
      body,
      headers,
    })
    expect(response.status).toBe(422)
  })
})
