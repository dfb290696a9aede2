import fc from 'fast-check'
import { decode } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { operations } from '../../scripts/build/openapi/operations.ts'
import { runs } from '../support/depth.ts'
import {
  administratorToken,
  type Call,
  call,
  tokenFor,
  UNKNOWN_ID,
  UNLIMITED,
} from '../support/helper.ts'
import { cases, newRequest, type TestRequest } from '../support/routes.ts'
import type { RoleSlug } from '#domain/roles.ts'
import type { Operation } from '#openapi/operation.ts'

const RUNS = runs(12)
/** Ensures that every run reaches the database. */
const LIMITS = { TOKEN_NETWORK_LIMIT: UNLIMITED }

const HOSTILE = [
  [
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
  ],
  [
    "' or 1=1 --",
    '"; drop table users; --',
    ') union select password_hash from users --',
    '%',
    '_',
    '*',
  ],
  [
    '../../etc/passwd',
    '{{7*7}}',
    '<script>alert(1)</script>',
    '00000000-0000-0000-0000-000000000000',
  ],
  [
    '__proto__',
    'constructor',
    'toString',
    '1e309',
    '-1',
    '0x10',
    '９９',
    '2026-02-30',
    'v1.2.3.4',
    `v${'9'.repeat(20)}.0.0`,
  ],
].flat()

const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary' }),
  fc.string(),
)
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
    fc.tuple(
      fc.constant(name),
      fc.oneof({ weight: 2, arbitrary: fc.constant(right) }, value),
    ),
  )
  const others = fc.array(fc.tuple(text, value), { maxLength: 2 })
  return fc
    .tuple(fc.subarray(fields), others)
    .chain(([some, extra]) => fc.tuple(fc.tuple(...some), fc.constant(extra)))
    .map(
      ([some, extra]) =>
        `{${[...some, ...extra].map(([name, item]) => member(name, item)).join(',')}}`,
    )
}

/** Serialized by hand, so that names may repeat or be `__proto__`. */
const member = (name: string, item: unknown) =>
  `${JSON.stringify(name)}:${JSON.stringify(item)}`

const RAW = [
  [
    '',
    ' ',
    'null',
    '[]',
    '"text"',
    '1',
    '{',
    "{'a':1}",
    '{"a":1,}',
    '\ufeff{}',
    '['.repeat(20_000),
  ],
  ['{"first_name":"A","first_name":1}', '{"cpf":1e999}', '{"first_name":"\\ud800"}'],
  [
    `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    `{"first_name":"${'x'.repeat(70_000)}"}`,
  ],
].flat()

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
  .map((some) =>
    Object.fromEntries(Object.entries(some).filter(([, item]) => item !== '')),
  )

/** Percent-encoded bytes, including invalid UTF-8. */
const encoded = fc.oneof(
  text.map((item) => encodeURIComponent(item.toWellFormed())),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Array.from(bytes, percent).join('')),
)
const percent = (byte: number) => `%${byte.toString(16).padStart(2, '0')}`

function query(names: string[]) {
  const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, encoded)
  const right = fc.constantFrom(
    '1',
    '12',
    '100',
    'true',
    'false',
    'v1.0.0',
    '2026-01-31',
    'Melhoria',
  )
  return fc
    .array(fc.tuple(name, fc.oneof(right, encoded)), { maxLength: 5 })
    .map((pairs) => `?${pairs.map((pair) => pair.join('=')).join('&')}`)
}

const examples = Object.values(operations).map(({ body }) => body?.example)
/** A value of every field, from the documented examples and for what they leave out. */
const FIELDS: Record<string, unknown> = {
  ...Object.assign({}, ...examples),
  phone: '+55 11 99999-0000',
  img_url: 'https://example.org/a.png',
  treatment_pronoun_id: 1,
  category_id: 1,
  diocese_id: 1,
  group_id: UNKNOWN_ID,
  group_ids: null, // one of the two alone
  groups_of: UNKNOWN_ID,
  require_email_verification: false,
  is_email_verified: true,
  ids: [UNKNOWN_ID],
  git_commit_hash: 'abcdef1234567',
}

/** The fields of a body or query. */
const namesOf = (schema: object = {}) =>
  Object.keys((schema as { shape?: object }).shape ?? {})

/** A valid body, with a value of every field that the route knows. */
function validBody(name: string, { schema, example }: Body, sent: unknown) {
  const values: Record<string, unknown> = { ...FIELDS, ...example, ...(sent as object) }
  if (!name.startsWith('POST /v1/auth/login')) values.password = 'curta' // no hash each time
  const fields = namesOf(schema)
  expect(Object.keys(values), 'FIELDS of this file').toEqual(
    expect.arrayContaining(fields),
  )
  return Object.fromEntries(fields.map((field) => [field, values[field]]))
}

type Body = NonNullable<Operation['body']>
type Sent = { path: string } & Call

/** Requests of a route like one that succeeds. */
function requestsLike(
  name: string,
  { path, call: sent }: TestRequest,
): fc.Arbitrary<Sent> {
  const [method = '', pattern = ''] = name.replace('/v1', '').split(' ')
  const operation = operations[`${method} /v1${pattern.replace(/\{(\w+)\}/g, ':$1')}`]
  const ids = path.split('?')[0]?.split('/') ?? []
  const segments = pattern
    .split('/')
    .map((segment, index) =>
      segment.startsWith('{')
        ? fc.oneof(fc.constant(ids[index] ?? ''), encoded)
        : fc.constant(segment),
    )
  const search =
    operation?.query || method === 'GET'
      ? query(['page', ...namesOf(operation?.query)])
      : fc.constant('')
  return fc.record({
    method: fc.constant(method),
    path: fc
      .tuple(fc.tuple(...segments), search)
      .map(([parts, parameters]) => parts.join('/') + parameters),
    headers,
    ...(operation?.body && { body: body(validBody(name, operation.body, sent.body)) }),
  })
}

/** A token of the same caller, anew, because some requests end the session. */
function renewed(token: string): Promise<string> {
  const { sub, role } = decode(token).payload as { sub: string; role: RoleSlug }
  return tokenFor({ id: sub, role })
}

/** A body with any items in a list. */
const lists = (path: string, others: string, item: object) =>
  fc.record({
    path: fc.constant(path),
    body: fc
      .array(objectOf(item as Record<string, unknown>), { maxLength: 5 })
      .map((items) => `{${others}:[${items.join()}]}`),
  })

const [GROUP] = FIELDS.groups as [object]
const [COMMIT] = FIELDS.commits as [object]

/** Requests of other shapes. */
const OTHERS: Record<string, fc.Arbitrary<Sent>> = {
  'POST /v1/processes with any groups': lists(
    '/processes',
    '"name":"A","protocol":"A","groups"',
    GROUP,
  ),
  'POST /v1/changelogs/sync-from-git with any commits': lists(
    '/changelogs/sync-from-git',
    '"commits"',
    { ...COMMIT, tags: ['v1.0.0'] },
  ),
  'any path': fc.record({ path: encoded.map((path) => `/${path}`), headers }),
}

const INTERNALS =
  /SQLITE|D1_|drizzle|zod|node_modules|\.ts:|at async|stack|password_hash|undefined|\[object/i

/** Checks what `call`, which compares every response with its documentation, does not. */
async function expectWellFormed(response: Response): Promise<void> {
  expect(response.status).toBeLessThan(500)
  expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
  if (response.status === 304) return
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json/)
  if (response.ok) return
  const body = (await response.json()) as { errors?: Record<string, string[]> }
  const texts = Object.values(body.errors ?? {})
  // a name among the errors may be that of a parameter as it was sent
  expect(JSON.stringify({ ...body, errors: texts })).not.toMatch(INTERNALS)
  if (response.status !== 422) return
  expect(texts.length).toBeGreaterThan(0)
  for (const text of texts.flat()) expect(text).toMatch(/^\p{Lu}.*\.$/u)
}

describe('any request gets a response that is documented', () => {
  it.each(Object.keys(cases))('%s', { timeout: 120_000 }, async (name) => {
    const like = await newRequest(name)
    const { token, env } = like.call
    await fc.assert(
      fc.asyncProperty(requestsLike(name, like), async ({ path, ...options }) => {
        const caller = token && (await renewed(token))
        const bindings = { ...LIMITS, ...env }
        await expectWellFormed(
          await call(path, { token: caller, env: bindings, ...options }),
        )
      }),
      { numRuns: RUNS },
    )
  })

  it.each(Object.entries(OTHERS))('%s', async (_, requests) => {
    const token = await administratorToken()
    await fc.assert(
      fc.asyncProperty(requests, async ({ path, ...options }) =>
        expectWellFormed(await call(path, { token, ...options })),
      ),
      { numRuns: RUNS },
    )
  })
})

function nested(depth: number): unknown {
  let inner: unknown = 'deep'
  for (let level = 0; level < depth; level++) inner = level % 2 ? [inner] : { a: inner }
  return inner
}
