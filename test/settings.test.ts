import { decode } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { call, callJson, PASSWORD } from './helper.ts'
import { logged } from './logs.ts'

describe('a wrong setting', () => {
  it.each([
    ['JWT_SECRET', 'short'],
    ['JWT_SECRET', undefined],
    ['JWT_SECRET_PREVIOUS', 'short'],
    ['JWT_TTL_SECONDS', 'an hour'],
    ['JWT_TTL_SECONDS', '0'],
    ['JWT_TTL_SECONDS', '1.5'],
    ['JWT_TTL_SECONDS', '31536001'],
    ['COVER_TEXTS', 'nope'],
    ['COVER_TEXTS', '{"Grupo 1":{"line_1":5}}'],
    ['COVER_TEXTS', '{"Grupo 1":{"linha_1":"x"}}'],
    ['COVER_TEXTS', '[]'],
    ['COVER_TEXTS', undefined],
    ['REQUIRE_EMAIL_VERIFICATION', 'yes'],
    ['CORS_ORIGINS', 'https://a.example/'],
    ['CORS_ORIGINS', 'https://a.example,b.example'],
    ['CORS_ORIGINS', '*'],
    ['GIT_REPOSITORY', 'service'],
    ['GIT_API_URL', 'git.example.org'],
  ])('%s = %s is named in one log line, without its value, and requests get 500', async (name, value) => {
    const { status, body } = await callJson('/categories', { env: { [name]: value } })
    expect([status, body]).toEqual([500, { success: false, message: 'Erro interno do servidor.' }])
    expect(logged('error')).toHaveLength(1)
    expect(JSON.stringify(logged('error'))).toContain(name)
    if (value && value.length > 3) expect(JSON.stringify(logged('error'))).not.toContain(value)
  })
})

it.each(['1', '31536000'])('a token may live %s seconds', async (seconds) => {
  const { body } = await callJson('/auth/login', {
    body: { email: 'ana@example.org', password: PASSWORD },
    env: { JWT_TTL_SECONDS: seconds },
  })
  expect(body.data.expires_in).toBe(Number(seconds))
  const { exp, iat } = decode(body.data.access_token).payload
  expect(Number(exp) - Number(iat)).toBe(Number(seconds))
})

it.each([
  'JWT_SECRET_PREVIOUS',
  'JWT_TTL_SECONDS',
  'CORS_ORIGINS',
  'REQUIRE_EMAIL_VERIFICATION',
  'GIT_REPOSITORY',
  'GIT_API_URL',
])('the setting %s, set to nothing, counts as not set', async (name) => {
  expect((await call('/categories', { env: { [name]: '' } })).status).toBe(200)
})
