import { decode } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { parseSettings, SettingsError } from '../src/settings.ts'
import { call, callJson, PASSWORD } from './helper.ts'
import { logged } from './logs.ts'

const REQUIRED = { JWT_SECRET: 'x'.repeat(32), COVER_TEXTS: '{}' }
const SENDER = 'must be an email address, or a name with one: Chancelaria <nao-responda@example.org>'
const PUBLIC_URL = 'must be the address of the service without a path, as https://api.example.org'

describe('parseSettings', () => {
  it('gives the optional settings their defaults', () => {
    expect(parseSettings({ ...REQUIRED })).toEqual({
      JWT_SECRET: REQUIRED.JWT_SECRET,
      JWT_TTL_SECONDS: 3600,
      CORS_ORIGINS: [],
      REQUIRE_EMAIL_VERIFICATION: false,
      COVER_TEXTS: {},
      GIT_API_URL: 'https://api.github.com',
    })
  })

  it.each<[string, unknown, unknown]>([
    ['JWT_SECRET', 'é'.repeat(16), 'é'.repeat(16)],
    ['JWT_TTL_SECONDS', '60', 60],
    [
      'CORS_ORIGINS',
      'https://a.example, http://localhost:5173',
      ['https://a.example', 'http://localhost:5173'],
    ],
    ['REQUIRE_EMAIL_VERIFICATION', 'true', true],
    ['REQUIRE_EMAIL_VERIFICATION', true, true],
    ['REQUIRE_EMAIL_VERIFICATION', 'false', false],
    ['EMAIL_FROM', 'Nao-Responda@example.org', 'nao-responda@example.org'],
    ['EMAIL_FROM', 'Cúria <NR@example.org>', { name: 'Cúria', email: 'nr@example.org' }],
    ['EMAIL_FROM', ' "Cúria, SP" <nr@example.org> ', { name: 'Cúria, SP', email: 'nr@example.org' }],
    ['PUBLIC_URL', 'https://a.example/', 'https://a.example'],
    ['EMAIL_VERIFICATION_URL', 'https://a.example/#/', 'https://a.example/#/'],
    ['PASSWORD_RESET_URL', 'https://a.example/a//b', 'https://a.example/a//b'],
    ['COVER_TEXTS', '{"Grupo 1":{"line_1":"x"}}', { 'Grupo 1': { line_1: 'x', line_2: null } }],
    ['COVER_TEXTS', { 'Grupo 1': { line_1: 'x' } }, { 'Grupo 1': { line_1: 'x', line_2: null } }],
    ['GIT_REPOSITORY', 'office/service', 'office/service'],
    ['GIT_REPOSITORY', '', undefined],
    ['GIT_API_URL', 'http://127.0.0.1:3000//', 'http://127.0.0.1:3000'],
  ])('parses %s %j', (name, value, parsed) => {
    const settings: Record<string, unknown> = parseSettings({ ...REQUIRED, [name]: value })
    expect(settings[name]).toEqual(parsed)
  })

  it.each([
    ['JWT_SECRET', 'x'.repeat(31), 'must have at least 32 bytes'],
    ['JWT_SECRET_PREVIOUS', 'x', 'must have at least 32 bytes'],
    ['JWT_TTL_SECONDS', 'x', 'must be a whole number of seconds, 1 to 31536000'],
    ['REQUIRE_EMAIL_VERIFICATION', 'yes', 'must be true or false'],
    ...['x', 'Cúria <x>', '<a@example.org>', 'A\nB <a@example.org>'].map((from) => [
      'EMAIL_FROM',
      from,
      SENDER,
    ]),
    ...['https://a.example/v1', 'ftp://a.example'].map((url) => ['PUBLIC_URL', url, PUBLIC_URL]),
    ['EMAIL_VERIFICATION_URL', 'ftp://a.example', 'must be an http or https address'],
    ['EMAIL_VERIFICATION_URL', 'mailto:http://a.example', 'must be an http or https address'],
    ['PASSWORD_RESET_URL', 'https://', 'must be an http or https address'],
    ['GIT_API_URL', 'x', 'must be an http or https address'],
    ['GIT_REPOSITORY', 'service', 'must have the form owner/name'],
    ['COVER_TEXTS', '{', 'must be JSON'],
  ])('names %s = %s: %s', (name, value, message) => {
    expect(() => parseSettings({ ...REQUIRED, [name]: value })).toThrow(
      new SettingsError(`setting ${name}: ${message}`),
    )
  })

  it.each([
    'https://a.example/',
    'a.example',
    'https://',
    'ftp://a.example',
    'blob:http://a.example',
    'https://a.example,',
  ])('accepts %s as no list of origins', (value) => {
    expect(() => parseSettings({ ...REQUIRED, CORS_ORIGINS: value })).toThrow(
      'setting CORS_ORIGINS: must list origins, as https://painel.example.org, separated by commas',
    )
  })

  it('names every problem', () => {
    expect(() => parseSettings({ ...REQUIRED, JWT_SECRET: 'x', GIT_API_URL: 'x' })).toThrow(
      'setting JWT_SECRET: must have at least 32 bytes; setting GIT_API_URL: must be an http or https address',
    )
  })

  it('parses an environment once', () => {
    const environment = { ...REQUIRED }
    expect(parseSettings(environment)).toBe(parseSettings(environment))
  })
})

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
