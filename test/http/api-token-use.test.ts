import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { dayIn, newApiToken } from '../support/api-tokens.ts'
import { servedRepository, SYNC_PATH } from '../support/changelog-imports.ts'
import { ENTRY } from '../support/changelogs.ts'
import {
  call,
  callJson,
  counting,
  failingDatabase,
  newUser,
  tokenOfNew,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { complete, createProcess, newMember } from '../support/processes.ts'
import { newFactorOwner } from '../support/second-factors.ts'

const REQUIRED = { REQUIRE_SECOND_FACTOR: 'true' }
const NO_FACTOR = { success: false, message: 'Ative o segundo fator.' }
const NOT_ALLOWED = { success: false, message: 'Este token não permite esta ação.' }
const INVALID = { success: false, message: 'Token inválido' }
const UNKNOWN = `ips_${'A'.repeat(43)}`

const usedOn = (id: string) =>
  env.DB.prepare('select last_used_on from api_tokens where id = ?')
    .bind(id)
    .first<string | null>('last_used_on')

const newDraft = async () => {
  const id = crypto.randomUUID()
  await env.DB.prepare(
    `insert into changelogs (id, version, date, title, description, category)
     values (?, 'v9.9.9', '2026-01-31', 'Um', 'Dois', 'Melhoria')`,
  )
    .bind(id)
    .run()
  return id
}

describe('an invalid API token is 401', () => {
  const expectRefused = async (token: string, path: string, description: string) => {
    const { status, body, headers } = await callJson(path, { token })
    expect([status, body]).toEqual([401, INVALID])
    expect(headers.get('WWW-Authenticate')).toBe(
      `Bearer error="invalid_token", error_description="The access token ${description}"`,
    )
  }

  it.each(['/processes', '/categories', '/changelogs', '/cover', '/auth/me'])(
    'at %s: unknown, malformed, deleted, expired',
    async (path) => {
      for (const token of [UNKNOWN, UNKNOWN.slice(1), `${UNKNOWN}=`, `${UNKNOWN}.x.y`]) {
        await expectRefused(token, path, 'is invalid')
      }
      const deleted = await newApiToken(['processes:read'])
      await env.DB.prepare('delete from api_tokens where id = ?').bind(deleted.id).run()
      await expectRefused(deleted.token, path, 'is invalid')
      const expired = await newApiToken(['processes:read'], { expires_on: dayIn(-1) })
      await expectRefused(expired.token, path, 'expired')
      expect(await usedOn(expired.id)).toBeNull()
    },
  )

  it('where who made it is no administrator any more', async () => {
    const { token, maker } = await newApiToken(['processes:read'])
    await env.DB.prepare(
      "update users set role_id = (select id from roles where slug = 'informer') where id = ?",
    )
      .bind(maker)
      .run()
    await expectRefused(token, '/processes', 'is invalid')
  })

  it('and valid on its last day', async () => {
    const { token } = await newApiToken(['processes:read'], { expires_on: dayIn(0) })
    expect((await call('/processes', { token })).status).toBe(200)
  })
})

describe('where a second factor is required', () => {
  it('a token whose maker has none opens nothing, whatever its scopes', async () => {
    const { token } = await newApiToken(['processes:read'])
    for (const path of ['/processes', '/informers', '/cover', '/auth/me']) {
      const { status, body } = await callJson(path, { token, env: REQUIRED })
      expect([path, status, body]).toEqual([path, 403, NO_FACTOR])
    }
  })

  it('of public reads it is asked for the changelog alone, with its scope', async () => {
    const reader = await newApiToken(['processes:read'])
    const writer = await newApiToken(['changelogs:write'])
    const statusOf = async (path: string, token: string) =>
      (await call(path, { token, env: REQUIRED })).status
    for (const path of ['/categories', '/changelogs']) {
      expect(await statusOf(path, reader.token)).toBe(200)
    }
    expect(await statusOf('/categories', writer.token)).toBe(200)
    expect(await statusOf('/changelogs', writer.token)).toBe(403)
  })

  it('a token whose maker has one opens what its scopes say', async () => {
    const { id } = await newFactorOwner()
    const { token } = await newApiToken(['processes:read'], { maker: id })
    expect((await call('/processes', { token, env: REQUIRED })).status).toBe(200)
    const { status, body } = await callJson('/informers', { token, env: REQUIRED })
    expect([status, body]).toEqual([403, NOT_ALLOWED])
  })
})

describe('public reads', () => {
  it('of a list are private, and from the primary, in one round trip more', async () => {
    const { token } = await newApiToken(['audit-events:read'], { last_used_on: dayIn(0) })
    const { binding: DB, count } = counting()
    const { status, headers } = await call('/categories', { token, env: { DB } })
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'private, no-cache'])
    expect([count.sessions, count.roundTrips]).toEqual([['first-primary'], 2])
  })

  it('of the changelog show drafts to its scope alone', async () => {
    const draft = await newDraft()
    const writer = await newApiToken(['changelogs:write'])
    const reader = await newApiToken(['informers:write'])
    const get = (path: string, { token }: { token: string }) => callJson(path, { token })

    const shown = await get(`/changelogs/${draft}`, writer)
    expect([shown.status, shown.headers.get('Cache-Control')]).toEqual([200, 'no-store'])
    expect((await get(`/changelogs/${draft}`, reader)).status).toBe(404)
    const isPublished = ({ is_published }: { is_published: boolean }) => is_published
    const all = await get('/changelogs?per_page=100', writer)
    expect(all.body.data.every(isPublished)).toBe(false)
    const published = await get('/changelogs?per_page=100', reader)
    expect(published.body.data.every(isPublished)).toBe(true)
    expect(published.headers.get('Cache-Control')).toBe('private, no-cache')
    const drafts = await get('/changelogs?is_published=false', reader)
    expect([drafts.status, drafts.body.message]).toEqual([
      403,
      'Acesso restrito a administradores.',
    ])
    expect((await get('/changelogs?is_published=false', writer)).status).toBe(200)
  })
})

describe('its use', () => {
  it.each([
    ['/processes', 200],
    ['/informers', 403],
    ['/processes?page=0', 422],
    ['/categories', 200],
  ])('%s is noted with its day, whatever the answer', async (path, status) => {
    const { id, token } = await newApiToken(['processes:read'], {
      last_used_on: dayIn(-1),
    })
    expect((await call(path, { token })).status).toBe(status)
    expect(await usedOn(id)).toBe(dayIn(0))
  })

  it('is written once a day, behind the response', async () => {
    const { token } = await newApiToken(['processes:read'])
    const [first, second] = [counting(), counting()]
    for (const { binding: DB } of [first, second]) {
      expect((await call('/processes', { token, env: { DB } })).status).toBe(200)
    }
    expect([first.count.roundTrips, first.behind.roundTrips]).toEqual([2, 1])
    expect([second.count.roundTrips, second.behind.roundTrips]).toEqual([2, 0])
  })

  it('is answered also where it cannot be noted', async () => {
    const { token } = await newApiToken(['processes:read'])
    const DB = failingDatabase('D1_ERROR: no', (trip) => trip > 2)
    expect((await call('/processes', { token, env: { DB } })).status).toBe(200)
    expect(logged('error')).toMatchObject([{ event: 'use of an API token not noted' }])
  })
})

describe('completions', () => {
  const newPair = async () => {
    const { groups } = await createProcess()
    const informer = await newMember(groups[0].id)
    const [questionnaire, other] = groups[0].questionnaires
    return {
      informer,
      path: `/informers/${informer}/questionnaires/${questionnaire.id}`,
      other: other.id,
    }
  }

  it.each(['PUT', 'DELETE'])(
    '%s shows no person without informers:read',
    async (method) => {
      const { informer, path, other } = await newPair()
      await complete(informer, other)
      const { token } = await newApiToken(['completions:write'])
      for (let time = 0; time < 2; time++) {
        const { status, body, headers } = await callJson(path, { method, token })
        expect([status, body]).toEqual([200, { success: true }])
        expect(headers.get('ETag')).toBeNull()
      }
      const unknown = await callJson(`/informers/${UNKNOWN_ID}/questionnaires/${other}`, {
        method,
        token,
      })
      expect([unknown.status, unknown.body.message]).toEqual([
        404,
        'Informante não encontrado.',
      ])
    },
  )

  it.each([
    ['informers:read', 'completions:write'] as const,
    ['informers:write'] as const,
  ])('shows the informer with %s', async (...scopes) => {
    const { informer, path } = await newPair()
    const { token } = await newApiToken([...scopes])
    const { body } = await callJson(path, { method: 'PUT', token })
    expect(body.data).toMatchObject({ id: informer })
  })
})

describe('records', () => {
  it('name the token, while there is one; and its maker as the actor', async () => {
    const { id, token, maker } = await newApiToken([
      'changelogs:write',
      'audit-events:read',
    ])
    const created = await callJson('/changelogs', { token, body: ENTRY })
    expect(created.status).toBe(201)

    const records = async () =>
      (
        await callJson(`/audit-events?api_token_id=${id.toUpperCase()}`, {
          token: await tokenOfNew(await newUser('administrator')),
        })
      ).body.data
    const record = {
      actor_id: maker,
      action: 'changelog.created',
      subject_id: created.body.data.id,
    }
    expect(await records()).toMatchObject([
      { ...record, api_token: { id, name: 'Programa' } },
    ])
    await env.DB.prepare('delete from api_tokens where id = ?').bind(id).run()
    expect(await records()).toMatchObject([{ ...record, api_token: { id, name: null } }])
  })

  it('of a read are once a day for each token and for its maker', async () => {
    const { groups } = await createProcess()
    const informer = await newMember(groups[0].id)
    const { id: maker } = await newUser('administrator')
    const login = await tokenOfNew({ id: maker, role: 'administrator' })
    const one = await newApiToken(['informers:read'], { maker })
    const other = await newApiToken(['informers:read'], { maker })
    for (const token of [one.token, login, other.token, one.token, login]) {
      await call(`/informers/${informer}`, { token })
    }
    const { results } = await env.DB.prepare(
      'select api_token_id from audit_events where subject_id = ? order by rowid',
    )
      .bind(informer)
      .all()
    expect(results.map(({ api_token_id }) => api_token_id)).toEqual([
      one.id,
      null,
      other.id,
    ])
  })
})

it('an Idempotency-Key is of the token, and not of its maker', async () => {
  const { id: maker } = await newUser('administrator')
  const tokens = [
    (await newApiToken(['changelogs:write'], { maker })).token,
    (await newApiToken(['changelogs:write'], { maker })).token,
    await tokenOfNew({ id: maker, role: 'administrator' }),
  ]
  const create = async (token: string) =>
    (
      await callJson('/changelogs', {
        token,
        body: ENTRY,
        headers: { 'Idempotency-Key': 'same' },
      })
    ).body.data.id
  const ids = []
  for (const token of tokens) ids.push(await create(token))
  expect(new Set(ids).size).toBe(3)
  expect(await create(tokens[0] ?? '')).toBe(ids[0])
})

it('each token is a caller of its own for imports of the repository', async () => {
  const { settings, serve } = servedRepository()
  await serve({ commits: [] })
  const { id: maker } = await newUser('administrator')
  const [one, other] = [
    await newApiToken(['changelogs:write'], { maker }),
    await newApiToken(['changelogs:write'], { maker }),
  ]
  const keys: string[] = []
  const GIT_IMPORT_LIMIT = {
    limit: async ({ key }: RateLimitOptions) => ({ success: Boolean(keys.push(key)) }),
  }
  for (const { token } of [one, one, other]) {
    const env = { ...settings, GIT_IMPORT_LIMIT }
    expect((await call(SYNC_PATH, { method: 'POST', token, env })).status).toBe(200)
  }
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).not.toBe(keys[0])
})
