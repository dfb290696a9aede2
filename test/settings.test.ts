import { describe, expect, it } from 'vitest'
import { callJson } from './support/helper.ts'
import { logged } from './support/logs.ts'
import { officeName, parseSettings, settingNames, SettingsError } from '#settings.ts'

const REQUIRED = { JWT_SECRET: 'x'.repeat(32), COVER_TEXTS: '{}' }
const SENDER =
  'must be an email address, or a name with one: Chancelaria <nao-responda@example.org>'
/** None has a host that a browser sends, and nothing else. */
const NO_ADDRESSES = [
  'x',
  'https://',
  'https://*.a.example',
  'https://a..example',
  'https://ana:x@a.example',
]
const PUBLIC_URL =
  'must be the address of the service without a path, as https://api.example.org'

describe('parseSettings', () => {
  it('gives optional settings that are not set, or set to nothing, their defaults', () => {
    const unset = Object.fromEntries(settingNames.map((name) => [name, '']))
    expect(parseSettings({ ...unset, ...REQUIRED })).toEqual({
      JWT_SECRET: REQUIRED.JWT_SECRET,
      JWT_TTL_SECONDS: 3600,
      CORS_ORIGINS: [],
      REQUIRE_EMAIL_VERIFICATION: false,
      REQUIRE_SECOND_FACTOR: false,
      COVER_TEXTS: new Map(),
      GIT_API_URL: 'https://api.github.com',
    })
  })

  it.each<[string, unknown, unknown]>([
    ['JWT_SECRET', 'é'.repeat(16), 'é'.repeat(16)],
    ['JWT_TTL_SECONDS', '1', 1],
    ['JWT_TTL_SECONDS', '31536000', 31_536_000],
    ['SESSION_TTL_SECONDS', '3600', 3600],
    [
      'CORS_ORIGINS',
      ' https://a.example, HTTPS://B.example:443/,http://localhost:5173 ',
      ['https://a.example', 'https://b.example', 'http://localhost:5173'],
    ],
    ['CORS_ORIGINS', 'https://paróquia.example', ['https://xn--parquia-n0a.example']],
    ['AUDIT_RETENTION_DAYS', '30', 30],
    ['AUDIT_RETENTION_DAYS', '36500', 36_500],
    ['REQUIRE_EMAIL_VERIFICATION', 'true', true],
    ['REQUIRE_EMAIL_VERIFICATION', true, true],
    ['REQUIRE_EMAIL_VERIFICATION', 'false', false],
    ['REQUIRE_SECOND_FACTOR', 'true', true],
    ['EMAIL_FROM', 'Nao-Responda@example.org', 'nao-responda@example.org'],
    ['EMAIL_FROM', 'Cúria <NR@example.org>', { name: 'Cúria', email: 'nr@example.org' }],
    [
      'EMAIL_FROM',
      ' "Cúria, SP" <nr@example.org> ',
      { name: 'Cúria, SP', email: 'nr@example.org' },
    ],
    ['PUBLIC_URL', 'HTTPS://A.example:443/', 'https://a.example'],
    ['EMAIL_VERIFICATION_URL', 'https://a.example/#/', 'https://a.example/#/'],
    ['PASSWORD_RESET_URL', 'https://a.example/a//b', 'https://a.example/a//b'],
    ['OFFICE_CONTACT', ' Irmã Ana, (11) 5555-0100 ', 'Irmã Ana, (11) 5555-0100'],
    ['OFFICE_CONTACT', '😀'.repeat(200), '😀'.repeat(200)],
    ['OFFICE_CONTACT', ' ', ''],
    ['LOGIN_URL', ' HTTPS://A.example/?a=1#b', 'https://a.example/?a=1#b'],
    [
      'COVER_TEXTS',
      '{"Grupo 1":{"line_1":"x"}}',
      new Map([['grupo 1', { line_1: 'x', line_2: null }]]),
    ],
    [
      'COVER_TEXTS',
      { ' Grupo  1 ': { line_1: 'x' } },
      new Map([['grupo 1', { line_1: 'x', line_2: null }]]),
    ],
    ['GIT_REPOSITORY', 'office/service', 'office/service'],
    ['GIT_API_URL', 'http://127.0.0.1:3000//', 'http://127.0.0.1:3000'],
    ['GIT_API_URL', 'http://localhost:3000', 'http://localhost:3000'],
    ['GIT_API_URL', 'http://[::1]:3000', 'http://[::1]:3000'],
    ['GIT_API_URL', 'https://git.example.org/api/v3', 'https://git.example.org/api/v3'],
  ])('parses %s %j', (name, value, parsed) => {
    const settings: Record<string, unknown> = parseSettings({
      ...REQUIRED,
      EMAIL: {},
      [name]: value,
    })
    expect(settings[name]).toEqual(parsed)
  })

  const HTTP = 'must be an http or https address, as https://painel.example.org'
  it.each<[string, string, unknown[]]>([
    ['JWT_SECRET', 'must have at least 32 bytes', [undefined, 'x'.repeat(31)]],
    ['JWT_SECRET_PREVIOUS', 'must have at least 32 bytes', ['x']],
    [
      'JWT_TTL_SECONDS',
      'must be a whole number of seconds, 1 to 31536000',
      ['x', '0', '1.5', '31536001'],
    ],
    [
      'SESSION_TTL_SECONDS',
      'must be a whole number of seconds, JWT_TTL_SECONDS to 31536000',
      ['x', '0', '3599', '7200.5', '31536001'],
    ],
    [
      'AUDIT_RETENTION_DAYS',
      'must be a whole number of days, 30 to 36500',
      ['x', '0', '29', '30.5', '36501', '-30', ' ', '30 days'],
    ],
    ['REQUIRE_EMAIL_VERIFICATION', 'must be true or false', ['yes']],
    ['REQUIRE_EMAIL_VERIFICATION', 'needs [[send_email]], which binds EMAIL', ['true']],
    ['REQUIRE_SECOND_FACTOR', 'must be true or false', ['yes']],
    [
      'OFFICE_CONTACT',
      'has lost letters (U+FFFD); save the file as UTF-8',
      ['Irm\uFFFD'],
    ],
    ['EMAIL_FROM', SENDER, ['x', 'Cúria <x>', '<a@example.org>', 'A\nB <a@example.org>']],
    [
      'PUBLIC_URL',
      PUBLIC_URL,
      ['https://a.example/v1', 'ftp://a.example', ...NO_ADDRESSES],
    ],
    ['EMAIL_VERIFICATION_URL', HTTP, ['ftp://a.example', ...NO_ADDRESSES]],
    ['PASSWORD_RESET_URL', HTTP, ['mailto:http://a.example', ...NO_ADDRESSES]],
    [
      'OFFICE_CONTACT',
      'must be one line of at most 200 characters',
      ['x'.repeat(201), 'a\nb', 'a\tb', 'a\u2028b'],
    ],
    ['LOGIN_URL', HTTP, ['javascript:alert(1)', '/entrar', ...NO_ADDRESSES]],
    ['GIT_API_URL', HTTP, NO_ADDRESSES],
    [
      'GIT_API_URL',
      'must be an https address, because the token is sent there',
      ['http://git.example.org/api/v3', 'http://127.0.0.1.example.org'],
    ],
    ['GIT_REPOSITORY', 'must have the form owner/name', ['service']],
    ['COVER_TEXTS', 'must be JSON', ['{']],
    ['COVER_TEXTS', 'must map group names to their lines', [undefined, '[]']],
    [
      'COVER_TEXTS',
      'GRUPO  4: is there twice, because case, accents and blanks do not matter',
      [{ 'Grupo 4': { line_1: 'x' }, 'GRUPO  4': {} }],
    ],
    [
      'COVER_TEXTS',
      'Grupo 1: line_1: must be a text or null',
      ['{"Grupo 1":{"line_1":5}}'],
    ],
    [
      'COVER_TEXTS',
      'has lost letters (U+FFFD); save the file as UTF-8',
      ['{"Grupo 1":{"line_1":"PONTIF\uFFFDCIO"}}', { 'Capel\uFFFDo': {} }],
    ],
    [
      'COVER_TEXTS',
      'Grupo 1: must contain only line_1 and line_2',
      ['{"Grupo 1":{"linha_1":"x"}}'],
    ],
  ])('says that %s %s', (name, message, values) => {
    for (const value of values) {
      expect(() => parseSettings({ ...REQUIRED, [name]: value })).toThrow(
        new SettingsError(`setting ${name}: ${message}`),
      )
    }
  })

  it.each<[string, string[]]>([
    ['*,https://b.example,a.example,*', ['*', 'a.example']],
    ['https://a.example:*,http://localhost:*', ['https://a.example:*']],
    [
      'https://a.example/app,https://a.example//',
      ['https://a.example/app', 'https://a.example//'],
    ],
    [
      'ftp://a.example,blob:http://a.example,',
      ['ftp://a.example', 'blob:http://a.example', ''],
    ],
    [`https://b.example,${NO_ADDRESSES}`, NO_ADDRESSES],
  ])('names each wrong origin of %j once', (CORS_ORIGINS, wrong) => {
    const sentence =
      'is no origin, as https://painel.example.org; commas separate several'
    const problems = wrong.map(
      (origin) => `setting CORS_ORIGINS: "${origin}" ${sentence}`,
    )
    expect(() => parseSettings({ ...REQUIRED, CORS_ORIGINS })).toThrow(
      new SettingsError(...problems),
    )
  })

  it.each([
    ['Cúria <nr@example.org>', 'Cúria'],
    ['nr@example.org', undefined],
  ])('knows the name of the office from EMAIL_FROM %j', (EMAIL_FROM, name) => {
    expect(officeName(parseSettings({ ...REQUIRED, EMAIL_FROM }))).toBe(name)
  })

  it('parses an environment once', () => {
    const environment = { ...REQUIRED }
    expect(parseSettings(environment)).toBe(parseSettings(environment))
  })
})

it('wrong settings are named in one log line, without a value, and requests get 500', async () => {
  const { status, body } = await callJson('/categories', {
    env: { JWT_SECRET: 'short', COVER_TEXTS: '{"Grupo 1":{"linha_1":"x"}}' },
  })
  expect([status, body]).toEqual([
    500,
    { success: false, message: 'Erro interno do servidor.' },
  ])
  const message =
    'setting JWT_SECRET: must have at least 32 bytes; ' +
    'setting COVER_TEXTS: Grupo 1: must contain only line_1 and line_2'
  expect(logged('error')).toMatchObject([{ error: 'SettingsError', message }])
})
