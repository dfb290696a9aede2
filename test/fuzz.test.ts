import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { createEntryBody } from '../src/domain/changelog.ts'
import type { createAdministratorBody, createInformerBody } from '../src/domain/informer.ts'
import type { createProcessBody } from '../src/domain/process.ts'
import type { createDescribedBody, createDioceseBody } from '../src/domain/reference.ts'
import { errors } from '../src/http/errors.ts'
import { administratorToken, type Call, call, newUser, PASSWORD, tokenOf, UNLIMITED } from './helper.ts'

const RUNS = 150
/** Ensures that every run reaches the database. */
const LIMITS = { TOKEN_NETWORK_LIMIT: UNLIMITED }
/** Each run needs a password hash. */
const LOGIN_RUNS = 40

const HOSTILE = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '\u202eabc',
  '\ufeff',
  '🙂'.repeat(300),
  'x'.repeat(10_000),
  '__proto__',
  'constructor',
  'toString',
  "' or 1=1 --",
  '"; drop table users; --',
  ') union select password_hash from users --',
  '%',
  '_',
  '*',
  '../../etc/passwd',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '1e309',
  '-1',
  '0x10',
  '９９',
  '2026-02-30',
  'v1.2.3.4',
  'v99999999999999999999.0.0',
  '00000000-0000-0000-0000-000000000000',
]

const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }), fc.string())
const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, 2 ** 64, -(2 ** 63), 1e308, 5e-324, -0),
)
const value = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: number },
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 4 }),
  fc.constant(nested(500)),
)

/** An object of known fields, valid and invalid, and unknown fields. */
function objectOf(valid: Record<string, unknown>) {
  const fields = Object.entries(valid).map(([name, right]) =>
    fc.tuple(fc.constant(name), fc.oneof({ weight: 2, arbitrary: fc.constant(right) }, value)),
  )
  const others = fc.array(fc.tuple(text, value), { maxLength: 2 })
  return fc
    .tuple(fc.subarray(fields), others)
    .chain(([some, extra]) => fc.tuple(fc.tuple(...some), fc.constant(extra)))
    .map(([some, extra]) => `{${[...some, ...extra].map(([name, item]) => member(name, item)).join(',')}}`)
}

/** Serialized by hand, so that names may repeat or be `__proto__`. */
const member = (name: string, item: unknown) => `${JSON.stringify(name)}:${JSON.stringify(item)}`

const RAW = [
  '',
  ' ',
  'null',
  '[]',
  '"text"',
  '1',
  '{',
  '{"a":1,}',
  '{"first_name":"A","first_name":1}',
  '{"cpf":1e999}',
  '{"first_name":"\\ud800"}',
  '['.repeat(20_000),
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  '\ufeff{}',
  "{'a':1}",
  `{"first_name":"${'x'.repeat(70_000)}"}`,
]

const body = (valid: Record<string, unknown>) =>
  fc.oneof({ weight: 8, arbitrary: objectOf(valid) }, fc.constantFrom(...RAW))

const header = text.map((item) => item.replace(/[^ -~]/g, '').trim())
const headers = fc
  .record(
    {
      'If-None-Match': header,
      'Idempotency-Key': header,
      Origin: header,
      'CF-Connecting-IP': header,
    },
    { requiredKeys: [] },
  )
  .map((some) => Object.fromEntries(Object.entries(some).filter(([, item]) => item !== '')))

/** Percent-encoded bytes, including invalid UTF-8. */
const encoded = fc.oneof(
  text.map((item) => encodeURIComponent(item.toWellFormed())),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Array.from(bytes, percent).join('')),
)
const percent = (byte: number) => `%${byte.toString(16).padStart(2, '0')}`

function query(names: string[]) {
  const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, encoded)
  const right = fc.constantFrom('1', '12', '100', 'true', 'false', 'v1.0.0', '2026-01-31', 'Melhoria')
  return fc
    .array(fc.tuple(name, fc.oneof(right, encoded)), { maxLength: 5 })
    .map((pairs) => `?${pairs.map((pair) => pair.join('=')).join('&')}`)
}

const ENTRY = {
  version: 'v1.2.3',
  date: '2026-01-31',
  title: 'Um',
  description: 'Dois',
  category: 'Melhoria',
  is_published: false,
  git_commit_hash: 'abcdef1234567',
} satisfies { [Field in keyof typeof createEntryBody.shape]: unknown }

const INFORMER = {
  first_name: 'Ana',
  last_name: 'Souza',
  email: 'fuzz@example.org',
  password: 'curta', // a valid one would need a hash each time
  treatment_pronoun_id: 1,
  phone: '+55 11 99999-0000',
  category_id: 1,
  diocese_id: 1,
  cpf: '52998224725',
  group_id: '6f1c1a52-8d4b-4d6e-9a63-0c8d2a4a8a11',
  img_url: 'https://example.org/a.png',
  require_email_verification: false,
} satisfies { [Field in keyof typeof createInformerBody.shape]: unknown }

const ADMINISTRATOR = {
  first_name: 'Rita',
  last_name: 'Souza',
  email: 'fuzzer@example.org',
  password: 'curta', // a valid one would need a hash each time
  phone: '+55 11 99999-0000',
  cpf: '52998224725',
  img_url: 'https://example.org/a.png',
} satisfies { [Field in keyof typeof createAdministratorBody.shape]: unknown }

const DESCRIBED = { name: 'Um', description: 'Dois', active: true } satisfies {
  [Field in keyof typeof createDescribedBody.shape]: unknown
}
const DIOCESE = { name: 'Um', state: 'SP', active: true } satisfies {
  [Field in keyof typeof createDioceseBody.shape]: unknown
}
/** The path of each list, with a valid body. */
const REFERENCE_LISTS: [path: string, body: Record<string, unknown>][] = [
  ['/categories', DESCRIBED],
  ['/dioceses', DIOCESE],
  ['/treatment-pronouns', DESCRIBED],
]
/** The ids of rows that others may refer to, and any other text. */
const anyNumber = fc.oneof(fc.integer({ min: 101, max: 400 }).map(String), encoded)

const ADMINISTRATOR_ID = '5e0e7f0a-53c1-4a0e-8d8e-6a8d6f5f6f15'
const INFORMER_ID = '5e0e7f0a-53c1-4a0e-8d8e-6a8d6f5f6f11'

const PROCESS_ID = '5e0e7f0a-53c1-4a0e-8d8e-6a8d6f5f6f12'
const GROUP_ID = '5e0e7f0a-53c1-4a0e-8d8e-6a8d6f5f6f13'
const QUESTIONNAIRE_ID = '5e0e7f0a-53c1-4a0e-8d8e-6a8d6f5f6f14'
const existing = {
  processes: fc.constant(PROCESS_ID),
  groups: fc.constant(GROUP_ID),
  questionnaires: fc.constant(QUESTIONNAIRE_ID),
}

beforeAll(async () => {
  await newUser('informer', INFORMER_ID)
  await newUser('administrator', ADMINISTRATOR_ID)
  await env.DB.batch([
    env.DB.prepare("insert into processes (id, name, protocol) values (?, 'Sé', 'F-1')").bind(PROCESS_ID),
    env.DB.prepare(
      "insert into groups (id, process_id, name, color, description) values (?, ?, 'G', '#000000', 'G')",
    ).bind(GROUP_ID, PROCESS_ID),
    env.DB.prepare("insert into questionnaires (id, group_id, title) values (?, ?, 'Q')").bind(
      QUESTIONNAIRE_ID,
      GROUP_ID,
    ),
  ])
})

const GROUP = { name: 'Grupo', color: '#123ABC', description: 'Um', questionnaires: ['Um', 'Dois'] }
const PROCESS = {
  name: 'Sé',
  protocol: 'FUZZ-1',
  groups: [GROUP],
  groups_of: '6f1c1a52-8d4b-4d6e-9a63-0c8d2a4a8a11',
} satisfies { [Field in keyof typeof createProcessBody.shape]: unknown }

const COMMIT = { hash: 'abcdef1', message: 'feat: um', date: '2026-01-31T12:00:00Z', tags: ['v1.0.0'] }
const LIST = ['page', 'per_page', 'search', 'active']
const CHANGELOG = ['category', 'version', 'is_published', 'date_from', 'date_to', 'page', 'per_page']
const AUDIT = ['actor_id', 'subject_id', 'action', 'date_from', 'date_to', 'page', 'per_page']

type Route = {
  name: string
  token?: string
  endsSession?: boolean
  runs?: number
  request: fc.Arbitrary<{ path: string } & Call>
}
const reading = (path: string, names: string[]) =>
  fc.record({ path: query(names).map((search) => path + search), headers })
const writing = (method: string, path: fc.Arbitrary<string>, valid: Record<string, unknown>) =>
  fc.record({ method: fc.constant(method), path, headers, body: body(valid) })

/** The path of an existing informer or of any other text, optionally followed by any id. */
const underInformer = (below: string) =>
  fc
    .tuple(fc.oneof(fc.constant(INFORMER_ID), encoded), encoded)
    .map(([informer, id]) => `/informers/${informer}${below && below + id}`)

const routes: Route[] = [
  { name: 'GET /v1/categories', request: reading('/categories', LIST) },
  { name: 'GET /v1/changelogs', request: reading('/changelogs', CHANGELOG) },
  {
    name: 'GET /v1/changelogs of an administrator',
    token: 'admin@example.org',
    request: reading('/changelogs', CHANGELOG),
  },
  { name: 'GET /v1/changelogs/{id}', request: fc.record({ path: encoded.map((id) => `/changelogs/${id}`) }) },
  {
    name: 'GET /v1/audit-events',
    token: 'admin@example.org',
    request: reading('/audit-events', AUDIT),
  },
  { name: 'GET /v1/cover', token: 'ana@example.org', request: reading('/cover', LIST) },
  {
    name: 'POST /v1/auth/login',
    runs: LOGIN_RUNS,
    request: writing('POST', fc.constant('/auth/login'), {
      email: 'fuzz@example.org',
      cpf: '52998224725',
      password: PASSWORD,
    }),
  },
  {
    name: 'POST /v1/auth/email/verify',
    request: writing('POST', fc.constant('/auth/email/verify'), { token: 'x'.repeat(43), password: 'curta' }),
  },
  {
    name: 'POST /v1/auth/email/resend',
    runs: LOGIN_RUNS,
    request: writing('POST', fc.constant('/auth/email/resend'), { email: 'fuzz@example.org' }),
  },
  {
    name: 'POST /v1/auth/password/forgot',
    runs: LOGIN_RUNS,
    request: writing('POST', fc.constant('/auth/password/forgot'), { email: 'fuzz@example.org' }),
  },
  {
    name: 'POST /v1/auth/password/reset',
    request: writing('POST', fc.constant('/auth/password/reset'), {
      token: 'x'.repeat(43),
      password: PASSWORD,
    }),
  },
  {
    name: 'PUT /v1/auth/password',
    token: 'bento@example.org',
    runs: LOGIN_RUNS,
    request: writing('PUT', fc.constant('/auth/password'), { current_password: PASSWORD, password: 'curta' }),
  },
  {
    name: 'POST /v1/auth/logout',
    token: 'clara@example.org',
    endsSession: true,
    request: writing('POST', fc.constant('/auth/logout'), { everywhere: true }),
  },
  {
    name: 'POST /v1/informers',
    token: 'admin@example.org',
    request: writing('POST', fc.constant('/informers'), INFORMER),
  },
  {
    name: 'GET /v1/informers',
    token: 'admin@example.org',
    request: reading('/informers', ['search', 'process_id', 'group_id', 'page', 'per_page']),
  },
  {
    name: 'GET /v1/administrators',
    token: 'admin@example.org',
    request: reading('/administrators', ['search', 'page', 'per_page']),
  },
  {
    name: 'POST /v1/administrators',
    token: 'admin@example.org',
    request: writing('POST', fc.constant('/administrators'), ADMINISTRATOR),
  },
  {
    name: 'PATCH /v1/administrators/{administrator}',
    token: 'admin@example.org',
    request: writing('PATCH', fc.constant(`/administrators/${ADMINISTRATOR_ID}`), ADMINISTRATOR),
  },
  ...['GET', 'DELETE'].map((method) => ({
    name: `${method} /v1/administrators/{administrator}`,
    token: 'admin@example.org',
    request: fc.record({
      method: fc.constant(method),
      path: encoded.map((id) => `/administrators/${id}`),
      headers,
    }),
  })),
  ...REFERENCE_LISTS.flatMap(([path, valid]) => [
    {
      name: `POST /v1${path}`,
      token: 'admin@example.org',
      request: writing('POST', fc.constant(path), valid),
    },
    {
      name: `PATCH /v1${path}/{id}`,
      token: 'admin@example.org',
      request: writing(
        'PATCH',
        anyNumber.map((id) => `${path}/${id}`),
        valid,
      ),
    },
    ...['GET', 'DELETE'].map((method) => ({
      name: `${method} /v1${path}/{id}`,
      token: 'admin@example.org',
      request: fc.record({
        method: fc.constant(method),
        path: anyNumber.map((id) => `${path}/${id}`),
        headers,
      }),
    })),
  ]),
  { name: 'GET /v1/processes', token: 'admin@example.org', request: reading('/processes', LIST) },
  {
    name: 'POST /v1/processes',
    token: 'admin@example.org',
    request: fc.oneof(
      writing('POST', fc.constant('/processes'), PROCESS),
      fc.record({
        path: fc.constant('/processes'),
        body: fc
          .array(objectOf(GROUP), { maxLength: 4 })
          .map((groups) => `{"name":"A","protocol":"A","groups":[${groups.join()}]}`),
      }),
    ),
  },
  ...(
    [
      ['POST', 'processes', '/groups', GROUP],
      ['POST', 'groups', '/questionnaires', { title: 'Um' }],
      ['PATCH', 'processes', '', { name: 'Um', protocol: 'FUZZ-2' }],
      ['PATCH', 'groups', '', GROUP],
      ['PATCH', 'questionnaires', '', { title: 'Um' }],
    ] as const
  ).map(([method, kind, below, valid]) => ({
    name: `${method} /v1/${kind}/{…}${below}`,
    token: 'admin@example.org',
    request: writing(
      method,
      fc.oneof(existing[kind], encoded).map((id) => `/${kind}/${id}${below}`),
      valid,
    ),
  })),
  ...['GET /v1/processes', 'DELETE /v1/processes', 'DELETE /v1/groups', 'DELETE /v1/questionnaires'].map(
    (name) => ({
      name: `${name}/{…}`,
      token: 'admin@example.org',
      request: fc.record({
        method: fc.constant(name.replace(/ .*/, '')),
        path: encoded.map((id) => `${name.replace(/.*v1/, '')}/${id}`),
        headers,
      }),
    }),
  ),
  {
    name: 'PATCH /v1/informers/{informer}',
    token: 'admin@example.org',
    request: writing('PATCH', underInformer(''), { ...INFORMER, first_name: 'Bia' }),
  },
  ...['GET', 'DELETE'].map((method) => ({
    name: `${method} /v1/informers/{informer}`,
    token: 'admin@example.org',
    request: fc.record({
      method: fc.constant(method),
      path: encoded.map((id) => `/informers/${id}`),
      headers,
    }),
  })),
  ...['PUT', 'DELETE'].flatMap((method) =>
    ['groups', 'questionnaires'].map((kind) => ({
      name: `${method} /v1/informers/{informer}/${kind}/{…}`,
      token: 'admin@example.org',
      request: fc.record({ method: fc.constant(method), path: underInformer(`/${kind}/`), headers }),
    })),
  ),
  {
    name: 'POST /v1/changelogs/publish',
    token: 'admin@example.org',
    request: writing('POST', fc.constant('/changelogs/publish'), {
      version: 'v1.2.3',
      ids: ['6f1c1a52-8d4b-4d6e-9a63-0c8d2a4a8a11'],
    }),
  },
  {
    name: 'POST /v1/changelogs',
    token: 'admin@example.org',
    request: writing('POST', fc.constant('/changelogs'), ENTRY),
  },
  {
    name: 'PUT /v1/changelogs/{changelog}',
    token: 'admin@example.org',
    request: writing(
      'PUT',
      encoded.map((id) => `/changelogs/${id}`),
      ENTRY,
    ),
  },
  {
    name: 'POST /v1/changelogs/sync-from-git',
    token: 'admin@example.org',
    request: fc.record({
      path: fc.constant('/changelogs/sync-from-git'),
      method: fc.constant('POST'),
      body: fc.oneof(
        fc.array(objectOf(COMMIT), { maxLength: 5 }).map((commits) => `{"commits":[${commits.join()}]}`),
        body({ commits: [COMMIT] }),
      ),
    }),
  },
  { name: 'any path', request: fc.record({ path: encoded.map((path) => `/${path}`), headers }) },
]

const TEXTS = new Set(
  Object.values(errors).map(
    (createError) => (createError as (argument: never) => { message: string })([] as never).message,
  ),
)
const INTERNALS = /SQLITE|D1_|drizzle|zod|node_modules|\.ts:|at async|stack|password_hash|undefined|\[object/i

/** Checks the rules of the contract for every response. */
async function expectContract(response: Response): Promise<void> {
  expect(response.status).toBeLessThan(500)
  expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
  if (response.status === 304) return
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json/)
  const body = (await response.json()) as Record<string, unknown>
  if (response.ok) {
    expect(body.success).toBe(true)
    return
  }
  expect(response.headers.get('Cache-Control')).toBe('no-store')
  expect(JSON.stringify(body)).not.toMatch(INTERNALS)
  if (response.status !== 422) {
    expect(Object.keys(body).sort()).toEqual(['message', 'success'])
    expect([body.success, TEXTS.has(String(body.message))]).toEqual([false, true])
    return
  }
  expect(Object.keys(body).sort()).toEqual(['errors', 'message'])
  expect(body.message).toBe('Os dados fornecidos são inválidos.')
  const errors = Object.values(body.errors as object) as unknown[]
  expect(errors.length).toBeGreaterThan(0)
  for (const texts of errors) {
    expect(
      Array.isArray(texts) && texts.length > 0 && texts.every((item) => /^\p{Lu}.*\.$/u.test(item)),
    ).toBe(true)
  }
}

describe('any request gets a response that matches the contract', () => {
  it.each(routes)('$name', { timeout: 120_000 }, async ({ token, endsSession, runs = RUNS, request }) => {
    let bearer = token && (await tokenOf(token))
    await fc.assert(
      fc.asyncProperty(request, async ({ path, ...options }) => {
        await expectContract(await call(path, { token: bearer, env: LIMITS, ...options }))
        if (token && endsSession) bearer = await tokenOf(token)
      }),
      { numRuns: runs },
    )
  })

  it('in the Authorization header', async () => {
    await fc.assert(
      fc.asyncProperty(header, fc.constantFrom('Bearer ', 'bearer ', 'Basic ', ''), async (item, scheme) => {
        const response = await call('/cover', { headers: { Authorization: scheme + item } })
        expect(response.status).toBe(401)
        await expectContract(response)
      }),
      { numRuns: RUNS },
    )
  })

  it('and a valid body is still accepted afterwards', async () => {
    const { status } = await call('/changelogs', { token: await administratorToken(), body: ENTRY })
    expect([201, 422]).toContain(status)
  })
})

function nested(depth: number): unknown {
  let inner: unknown = 'deep'
  for (let level = 0; level < depth; level++) inner = level % 2 ? [inner] : { a: inner }
  return inner
}
