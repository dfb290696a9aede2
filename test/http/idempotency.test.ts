import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { elapse, runCron } from '../support/emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  call,
  callJson,
  newUser,
  tokenOfNew,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { GROUP } from '../support/processes.ts'
import { newPath as newPathOf, newText, resources } from '../support/resources.ts'

const REUSED = 'A chave de idempotência já foi usada com outro conteúdo.'

const ENTRY = {
  version: 'v9.9.9',
  date: '2026-01-31',
  description: 'Um',
  category: 'Melhoria',
}

/**
 * Every route that takes a key, with a body of its own, and a field whose value makes it another
 * body.
 */
const ROUTES = [
  ...resources.map((resource) => ({
    ...resource,
    newPath: () => newPathOf(resource),
  })),
  {
    path: '/changelogs',
    newPath: async () => '/changelogs',
    table: 'changelogs',
    unique: 'title',
    newBody: (): Record<string, unknown> => ({ ...ENTRY, title: newText() }),
  },
]

describe.each(ROUTES)(
  'POST /v1$path with an Idempotency-Key',
  ({ path: route, newPath, table, unique, newBody }) => {
    const changed = (body: object) => ({ ...body, [unique]: newBody()[unique] })
    /** An administrator that sends bodies with one key. */
    async function newClient(key = crypto.randomUUID(), to?: string) {
      const token = await tokenOfNew(await newUser('administrator'))
      const path = to ?? (await newPath())
      const post = (body: unknown, other: Parameters<typeof callJson>[1] = {}) =>
        callJson(path, { token, body, headers: { 'Idempotency-Key': key }, ...other })
      return { post, key, token, path }
    }
    const countOf = async () =>
      (await env.DB.prepare(`select count(*) as n from ${table}`).first<number>('n')) ?? 0

    it('creates once, and responds to every repetition with the same response', async () => {
      const { post } = await newClient()
      const body = newBody()
      const first = await post(body)
      expect(first.status).toBe(201)
      const before = await countOf()
      const reordered = Object.fromEntries(Object.entries(body).reverse())
      const spaced = JSON.stringify(reordered, null, 2)
      for (const again of [body, reordered, spaced]) {
        const { status, body: response } = await post(again)
        expect([status, response]).toEqual([201, first.body])
      }
      expect(await countOf()).toBe(before)
    })

    it('rejects another body, and creates nothing', async () => {
      const { post } = await newClient()
      const body = newBody()
      expect((await post(body)).status).toBe(201)
      const before = await countOf()
      const { status, body: response } = await post(newBody())
      expect([status, response]).toEqual([
        422,
        {
          message: 'Os dados fornecidos são inválidos.',
          errors: { 'Idempotency-Key': [REUSED] },
        },
      ])
      expect((await post(changed(body))).body.errors['Idempotency-Key']).toEqual([REUSED])
      expect(await countOf()).toBe(before)
      expect((await post(body)).status).toBe(201)
    })

    it('accepts one of many simultaneous bodies', async () => {
      const { post } = await newClient()
      const before = await countOf()
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async () => (await post(newBody())).status),
      )
      expect(statuses.toSorted()).toEqual([201, ...Array(7).fill(422)])
      expect(logged('warn')).toEqual([])
      expect(await countOf()).toBe(before + 1)
    })

    it('keeps keys separate by user and route', async () => {
      const { post, key, path } = await newClient()
      expect((await post(newBody())).status).toBe(201)
      const { post: postAsOther, token } = await newClient(key, path)
      expect((await postAsOther(newBody())).status).toBe(201)
      const other = ROUTES.find(({ path }) => path !== route)
      const body = other?.newBody()
      const options = { token, body, headers: { 'Idempotency-Key': key } }
      expect((await callJson((await other?.newPath()) ?? '', options)).status).toBe(201)
    })

    it('does not keep a key that created nothing', async () => {
      const { post } = await newClient()
      const body = newBody()
      expect((await post({ ...body, [unique]: '' })).status).toBe(422)
      if (route === '/informers') {
        expect((await post({ ...body, category_id: 999_999 })).status).toBe(422)
      }
      expect((await post(body)).status).toBe(201)
    })

    it('keeps a key for 7 days, as a hash', async () => {
      const { post, key } = await newClient()
      const body = newBody()
      await post(body)
      const kept = async () =>
        (await env.DB.prepare('select * from idempotency_keys').all()).results
      expect(JSON.stringify(await kept())).not.toMatch(new RegExp(`${key}|@|Davi|Ção`))
      await elapse(7 * 24 * 60 - 1)
      await runCron()
      expect((await post(changed(body))).body.errors['Idempotency-Key']).toEqual([REUSED])
      await elapse(2)
      await runCron()
      expect(await kept()).toEqual([])
      expect((await post(changed(body))).status).toBe(201)
    })

    it('takes an id in the path in any case', async () => {
      const { post, key, token, path } = await newClient()
      const body = newBody()
      const first = await post(body)
      const shouted = path.replace(/[\da-f-]{36}/, (id) => id.toUpperCase())
      const headers = { 'Idempotency-Key': key }
      const again = await callJson(shouted, { token, body, headers })
      expect([again.status, again.body]).toEqual([201, first.body])
    })
  },
)

/** Creates an informer in a group, under a key that a repetition has, too. */
async function createRepeatable() {
  const key = crypto.randomUUID()
  const group = await env.DB.prepare('select id from groups limit 1').first<string>('id')
  const token = await administratorToken()
  const repeat = async (settings = {}) =>
    callJson('/informers', {
      token,
      env: settings,
      body: { first_name: 'Lázaro', email: `${key}@example.org`, group_id: group },
      headers: { 'Idempotency-Key': key },
    })
  const { status, body } = await repeat()
  expect(status).toBe(201)
  return { id: body.data.id as string, group, repeat }
}

it('POST /v1/informers, repeated with its key, does not restore a group that was taken away since', async () => {
  const { id, group, repeat } = await createRepeatable()
  const token = await administratorToken()
  await call(`/informers/${id}/groups/${group}`, { method: 'DELETE', token })
  const { status, body } = await repeat()
  expect([status, body.data.id, body.data.group]).toEqual([201, id, null])
  const events = await callJson(`/audit-events?subject_id=${id}`, { token })
  const actions = events.body.data.map(({ action }: { action: string }) => action)
  expect(actions.slice(0, 2)).toEqual(['informer.read', 'group.dissociated'])
  expect(actions.slice(2).toSorted()).toEqual(['group.associated', 'informer.created'])
})

it('POST /v1/informers, repeated after a deletion, is 409', async () => {
  const { id, repeat } = await createRepeatable()
  await call(`/informers/${id}`, { method: 'DELETE', token: await administratorToken() })
  const { status, body } = await repeat()
  expect([status, body]).toEqual([
    409,
    { success: false, message: 'O registro criado com esta chave foi excluído.' },
  ])
})

it('POST /v1/informers is repeated also under a new secret, if nothing else refuses it', async () => {
  const [token, key] = [await administratorToken(), crypto.randomUUID()]
  const post = (settings = {}) =>
    callJson('/informers', {
      token,
      env: settings,
      body: { first_name: 'Lázaro' },
      headers: { 'Idempotency-Key': key },
    })
  const first = await post()
  const { status, body } = await post({
    JWT_SECRET: 'another secret, longer than 32 bytes',
    JWT_SECRET_PREVIOUS: env.JWT_SECRET,
  })
  expect([status, body]).toEqual([201, first.body])
})

it('POST /v1/processes/{process}/groups, repeated after the deletion of the process, is 409', async () => {
  const token = await administratorToken()
  const process = await callJson('/processes', {
    token,
    body: { name: 'Sé', protocol: crypto.randomUUID() },
  })
  const path = `/processes/${process.body.data.id}`
  const post = (body: object) =>
    callJson(`${path}/groups`, { token, body, headers: { 'Idempotency-Key': path } })
  expect((await post(GROUP)).status).toBe(201)
  await call(path, { method: 'DELETE', token })
  expect((await post(GROUP)).status).toBe(409)
  const other = await post({ ...GROUP, name: 'Outro' })
  expect([other.status, other.body.errors]).toEqual([
    422,
    { 'Idempotency-Key': [REUSED] },
  ])
})

it('POST /v1/informers of eight simultaneous repetitions creates one, and all get it', async () => {
  const { key, token } = { key: crypto.randomUUID(), token: await administratorToken() }
  const post = () =>
    callJson('/informers', {
      token,
      body: { first_name: 'Tomé' },
      headers: { 'Idempotency-Key': key },
    })
  const responses = await Promise.all(Array.from({ length: 8 }, post))
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(201))
  expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1)
  expect(logged('warn')).toEqual([])
})

it('POST /v1/categories does not use a key up if what refused the write is gone again', async () => {
  const body = { name: 'Cargo de passagem', description: 'Um' }
  const insert = env.DB.prepare(
    'insert into categories (name, name_folded, description) values (?1, lower(?1), ?1)',
  )
  const DB = beforeRoundTrips(async (trip) => {
    // after the caller and the check: before the write
    if (trip === 3) await insert.bind(body.name).run()
    if (trip === 4) {
      await env.DB.prepare('delete from categories where name = ?').bind(body.name).run()
    }
  })
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const post = async (other = {}) =>
    (
      await callJson('/categories', {
        token: await administratorToken(),
        body,
        headers,
        ...other,
      })
    ).status
  expect(await post({ env: { DB } })).toBe(503)
  expect(logged('warn')).toMatchObject([
    { event: 'write refused, and nothing found in its way' },
  ])
  expect(await post()).toBe(201)
})
