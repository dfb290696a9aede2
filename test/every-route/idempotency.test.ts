import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { elapse, newEmail, runCron } from '../support/emails.ts'
import {
  beforeRoundTrips,
  type Call,
  callJson,
  newLogin,
  newUser,
  PASSWORD,
  tokenOfNew,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { createProcess, GROUP, newProtocol, send } from '../support/processes.ts'
import { newText } from '../support/resources.ts'
import { newRequest, routes } from '../support/routes.ts'
import { storedRows } from '../support/stored.ts'

const REUSED = {
  message: 'Os dados fornecidos são inválidos.',
  errors: {
    'Idempotency-Key': ['A chave de idempotência já foi usada com outro conteúdo.'],
  },
}
const DELETED = {
  success: false,
  message: 'O registro criado com esta chave foi excluído.',
}

/** An administrator who sends bodies to a path with one key. */
async function newClient(path: string, key: string = crypto.randomUUID()) {
  const token = await tokenOfNew(await newLogin({ role: 'administrator' }))
  const headers = { 'Idempotency-Key': key }
  return (body: unknown, options: Call = {}) =>
    callJson(path, { token, body, headers, ...options })
}

const newEntry = () => ({ name: newText(), description: 'Um' })

/** All rows but the records: who repeats a request is shown an informer. */
async function rowsButRecords() {
  const { audit_events: _, ...rows } = await storedRows()
  return rows
}

/** Every route that creates, but that of API tokens, which are shown once. */
const CREATIONS = Object.keys(routes).filter(
  (name) => routes[name]?.status === 201 && name !== 'POST /v1/api-tokens',
)

it.each(CREATIONS)(
  '%s with an Idempotency-Key creates once, and is 409 when that has been deleted',
  async (name) => {
    const { path, call } = await newRequest(name)
    const [post, body] = [await newClient(path), call.body as object]
    const first = await post(body)
    expect(first.status).toBe(201)

    const before = await rowsButRecords()
    const reversed = Object.fromEntries(Object.entries(body).reverse())
    for (const same of [body, reversed, JSON.stringify(reversed, null, 2)]) {
      const repeated = await post(same)
      expect([repeated.status, repeated.body]).toEqual([201, first.body])
    }
    expect(await rowsButRecords()).toEqual(before)

    const created = await env.DB.prepare(
      'select created_id from idempotency_keys order by rowid desc',
    ).first('created_id')
    const deleted = await send('DELETE', `/${path.split('/').at(-1)}/${created}`)
    expect(deleted.status).toBe(200)
    const refused = await post(body)
    expect([refused.status, refused.body]).toEqual([409, DELETED])
  },
)

describe('an Idempotency-Key', () => {
  it('is of one user and one route', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const [token, other] = [
      await tokenOfNew(await newUser('administrator')),
      await tokenOfNew(await newUser('administrator')),
    ]
    const entry = newEntry()
    for (const [path, options] of [
      ['/categories', { token, body: entry }],
      ['/treatment-pronouns', { token, body: entry }],
      ['/categories', { token: other, body: newEntry() }],
    ] as const) {
      expect((await callJson(path, { headers, ...options })).status).toBe(201)
    }
  })

  it('is not kept of a refused request', async () => {
    const post = await newClient('/informers')
    expect((await post({ first_name: '' })).status).toBe(422)
    expect((await post({ first_name: 'Rita', category_id: 999_999 })).status).toBe(422)
    expect((await post({ first_name: 'Rita' })).status).toBe(201)
  })

  it('is kept for 7 days, as a hash', async () => {
    const key = crypto.randomUUID()
    const post = await newClient('/informers', key)
    await post({ first_name: 'Davi', email: newEmail() })
    const kept = async () =>
      (await env.DB.prepare('select * from idempotency_keys').all()).results
    expect(JSON.stringify(await kept())).not.toMatch(new RegExp(`${key}|@|Davi`))

    await elapse(7 * 24 * 60 - 1)
    await runCron()
    expect((await post({ first_name: 'Rita' })).body).toEqual(REUSED)
    await elapse(2)
    await runCron()
    expect(await kept()).toEqual([])
    expect((await post({ first_name: 'Rita' })).status).toBe(201)
  })

  it('is of a path with its ids in any case', async () => {
    const { path, call } = await newRequest('POST /v1/processes/{process}/groups')
    const key = { headers: { 'Idempotency-Key': crypto.randomUUID() } }
    const shouted = path.replace(/[\da-f-]{36}/, (id) => id.toUpperCase())
    const first = await callJson(path, { ...call, ...key })
    const again = await callJson(shouted, { ...call, ...key })
    expect([again.status, again.body]).toEqual([201, first.body])
  })

  it('gives eight simultaneous requests of one body the same record', async () => {
    const post = await newClient('/informers')
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => post({ first_name: 'Tomé' })),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1)
    expect(logged('warn')).toEqual([])
  })

  it('is found again after a rotation of the secret', async () => {
    const post = await newClient('/informers')
    const first = await post({ first_name: 'Lázaro' })
    const rotated = {
      JWT_SECRET: 'another secret, longer than 32 bytes',
      JWT_SECRET_PREVIOUS: env.JWT_SECRET,
    }
    const { status, body } = await post({ first_name: 'Lázaro' }, { env: rotated })
    expect([status, body]).toEqual([201, first.body])
  })

  it('is found again after the deletion of the parent', async () => {
    const { id } = await createProcess({ groups: null })
    const post = await newClient(`/processes/${id}/groups`)
    expect((await post(GROUP)).status).toBe(201)
    await send('DELETE', `/processes/${id}`)
    expect((await post(GROUP)).status).toBe(409)
    const other = await post({ ...GROUP, name: 'Outro' })
    expect([other.status, other.body]).toEqual([422, REUSED])
  })

  it('restores no group that was taken away since', async () => {
    const [group] = (await createProcess()).groups
    const post = await newClient('/informers')
    const body = { first_name: 'Lázaro', group_id: group.id }
    const { id } = (await post(body)).body.data
    await send('DELETE', `/informers/${id}/groups/${group.id}`)

    const repeated = await post(body)
    expect([repeated.status, repeated.body.data.id]).toEqual([201, id])
    expect(repeated.body.data.group).toBeNull()
  })

  it('is not used up if what refused the write is gone again', async () => {
    const post = await newClient('/categories')
    const [name, description] = [`Cargo ${crypto.randomUUID()}`, 'Um']
    const insert = env.DB.prepare(
      'insert into categories (name, name_folded, description) values (?1, lower(?1), ?1)',
    )
    const remove = env.DB.prepare('delete from categories where name = ?')
    const DB = beforeRoundTrips(async (trip) => {
      // after the caller and the check: before the write
      if (trip === 3) await insert.bind(name).run()
      if (trip === 4) await remove.bind(name).run()
    })
    expect((await post({ name, description }, { env: { DB } })).status).toBe(503)
    expect(logged('warn')).toMatchObject([
      { event: 'write refused, and nothing found in its way' },
    ])
    expect((await post({ name, description })).status).toBe(201)
  })
})

describe('the content of an Idempotency-Key', () => {
  it('has a null for what is not sent, at any depth', async () => {
    const post = await newClient('/processes')
    const body = { name: 'Sé', protocol: newProtocol(), groups: [GROUP] }
    const first = await post(body)
    expect(first.status).toBe(201)
    const groups = [{ ...GROUP, questionnaires: null }]
    const again = await post({ ...body, groups, groups_of: null })
    expect([again.status, again.body]).toEqual([201, first.body])
  })

  it('leaves passwords out, also of what is stored, and nothing else', async () => {
    const post = await newClient('/informers')
    const person = { first_name: 'Rita', email: newEmail() }
    const storedHash = () =>
      env.DB.prepare('select content_hash from idempotency_keys').first('content_hash')
    const hashes = new Set<unknown>()
    for (const password of [null, PASSWORD]) {
      await env.DB.exec('delete from idempotency_keys')
      await env.DB.prepare('delete from users where email = ?').bind(person.email).run()
      expect((await post({ ...person, password })).status).toBe(201)
      hashes.add(await storedHash())
    }
    expect([...hashes]).toEqual([expect.stringMatching(/^[\w-]{43}$/)])

    const first = await post({ ...person, password: PASSWORD })
    for (const fields of [{ password: 'Outra2026' }, { password: null }, {}]) {
      const again = await post({ ...person, ...fields })
      expect([again.status, again.body]).toEqual([201, first.body])
    }
    for (const fields of [{ last_name: 'Prado' }, { email: newEmail() }]) {
      const other = await post({ ...person, password: PASSWORD, ...fields })
      expect([other.status, other.body]).toEqual([422, REUSED])
    }
    const login = async (password: string) =>
      (await callJson('/auth/login', { body: { email: person.email, password } })).status
    expect([await login(PASSWORD), await login('Outra2026')]).toEqual([200, 401])
  })

  const nested = (depth: number, open: string, close: string) =>
    `${open.repeat(depth)}1${close.repeat(depth)}`

  it.each([
    ['hostile members', '{"toString":1,"valueOf":2,"toJSON":3,"__proto__":4}'],
    ['arrays 20,000 deep', nested(20_000, '[', ']')],
    ['objects 5,000 deep', nested(5_000, '{"a":', '}')],
  ])('is none of an unknown field with %s', async (_, value) => {
    const post = await newClient('/processes')
    const body = JSON.stringify({ name: 'Sé', protocol: newProtocol() })
    const sent = `${body.slice(0, -1)},"unknown":${value}}`
    const first = await post(sent)
    expect(first.status).toBe(201)
    const again = await post(sent)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(logged('error')).toEqual([])
  })
})
