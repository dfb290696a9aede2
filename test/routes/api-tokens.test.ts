import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { dayIn, newApiToken } from '../support/api-tokens.ts'
import { sendTo } from '../support/emails.ts'
import { failuresOf } from '../support/failed-logins.ts'
import {
  administratorToken,
  type Call,
  call,
  callJson,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
  tokenOfNew,
  UNKNOWN_ID,
  UNLIMITED,
} from '../support/helper.ts'
import { storedRows } from '../support/stored.ts'
import { SCOPES } from '#domain/api-tokens.ts'
import { digest } from '#security/hashes.ts'

const NO_LIMITS = { LOGIN_IDENTIFIER_LIMIT: UNLIMITED, LOGIN_NETWORK_LIMIT: UNLIMITED }

const newMaker = async () => {
  const user = await newLogin({ role: 'administrator' })
  return { ...user, token: await tokenOfNew(user) }
}

const bodyOf = (more: object = {}) => ({
  current_password: PASSWORD,
  name: 'Questionários',
  scopes: ['completions:write'],
  expires_on: dayIn(90),
  ...more,
})

const create = (token: string, more: object = {}, options: Call = {}) =>
  callJson('/api-tokens', { token, body: bodyOf(more), env: NO_LIMITS, ...options })

const storedTokens = (maker: string) =>
  env.DB.prepare('select * from api_tokens where created_by = ?').bind(maker).all()

describe('POST /v1/api-tokens', () => {
  it('responds with the token, and with it alone this once', async () => {
    const maker = await newMaker()
    const { status, body } = await create(maker.token, {
      name: '  Questiona\u0301rios ',
      scopes: ['lists:write', 'completions:write', 'lists:write'],
    })
    const { token, ...shown } = body.data
    expect([status, body.message]).toEqual([201, 'Token criado com sucesso.'])
    expect(token).toMatch(/^ips_[\w-]{43}$/)
    expect(shown).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: 'Questionários',
      scopes: ['completions:write', 'lists:write'],
      created_by: { id: maker.id, full_name: 'Teste' },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/),
      expires_on: dayIn(90),
      last_used_on: null,
    })
    const read = await callJson(`/api-tokens/${shown.id.toUpperCase()}`, maker)
    expect(read.body).toEqual({ success: true, data: shown })
  })

  it('keeps the token nowhere: not in the database, where only its hash is', async () => {
    const maker = await newMaker()
    const { token } = (await create(maker.token)).body.data
    expect((await call('/processes', { token })).status).toBe(200)
    const stored = JSON.stringify(await storedRows())
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(token.slice(4))
    expect(stored).toContain(await digest(token))
    for (const path of ['/api-tokens?per_page=100', '/audit-events?per_page=100']) {
      expect(await (await call(path, maker)).text()).not.toContain(token.slice(4))
    }
  })

  it('records it, and tells its maker by email', async () => {
    const maker = await newMaker()
    const { id } = (await create(maker.token)).body.data
    const { body } = await callJson(`/audit-events?subject_id=${id}`, maker)
    expect(body.data).toMatchObject([
      {
        actor_id: maker.id,
        api_token: null,
        action: 'api_token.created',
        subject_type: 'api_token',
      },
    ])
    const sent = await sendTo(maker.email)
    expect(sent.map(({ subject }) => subject)).toEqual(['Um token de API foi criado'])
    expect(sent[0]?.text).not.toContain('Questionários')
  })

  const NO_SCOPE = ['Informe ao menos um escopo.']
  const UNKNOWN = ['Há escopos que não existem.']
  const NO_EXPIRY = ['O campo validade é obrigatório.']
  const WRONG_EXPIRY = ['A validade deve ser uma data de hoje até daqui a 366 dias.']
  it.each([
    ['name', undefined, ['O campo nome é obrigatório.']],
    ['name', ' \u200B ', ['O campo nome é obrigatório.']],
    ['name', 'a'.repeat(256), ['O campo nome deve ter no máximo 255 caracteres.']],
    ['scopes', undefined, NO_SCOPE],
    ['scopes', 'completions:write', NO_SCOPE],
    ['scopes', [], NO_SCOPE],
    ['scopes', ['completions:write', 'all'], UNKNOWN],
    ['scopes', ['toString'], UNKNOWN],
    ['expires_on', undefined, NO_EXPIRY],
    ['expires_on', '  ', NO_EXPIRY],
    ['expires_on', 20991231, WRONG_EXPIRY],
    ['expires_on', '2099-02-30', WRONG_EXPIRY],
    ['expires_on', 'amanhã', WRONG_EXPIRY],
  ])('rejects %s %j', async (field, value, errors) => {
    const maker = await newMaker()
    const { status, body } = await create(maker.token, { [field]: value })
    expect([status, body.errors]).toEqual([422, { [field]: errors }])
    expect((await storedTokens(maker.id)).results).toEqual([])
    expect(await failuresOf(maker.email)).toBe(0)
  })

  it('takes today and the 366th day, and neither the day before nor the day after', async () => {
    const maker = await newMaker()
    const statuses = []
    for (const days of [-1, 0, 366, 367]) {
      statuses.push((await create(maker.token, { expires_on: dayIn(days) })).status)
    }
    expect(statuses).toEqual([422, 201, 201, 422])
  })

  it('does not look at an Idempotency-Key', async () => {
    const maker = await newMaker()
    const headers = { 'Idempotency-Key': 'one' }
    const [one, other] = [
      await create(maker.token, {}, { headers }),
      await create(maker.token, {}, { headers }),
    ]
    expect([one.status, other.status]).toEqual([201, 201])
    expect(one.body.data.id).not.toBe(other.body.data.id)
  })
})

describe('GET /v1/api-tokens', () => {
  it("lists everybody's, the newest first, then by id", async () => {
    await env.DB.prepare('delete from api_tokens').run()
    const [one, two, three] = [
      await newApiToken(['lists:write']),
      await newApiToken(SCOPES),
      await newApiToken(['lists:write'], { expires_on: dayIn(-3) }),
    ]
    const at = (id: string, time: string) =>
      env.DB.prepare('update api_tokens set created_at = ? where id = ?')
        .bind(time, id)
        .run()
    await at(one.id, '2026-01-02T00:00:00.000000Z')
    await at(two.id, '2026-01-01T00:00:00.000000Z')
    await at(three.id, '2026-01-02T00:00:00.000000Z')
    const token = await administratorToken()
    const { body } = await callJson('/api-tokens?per_page=2', { token })
    const newest = [one.id, three.id].toSorted()
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(newest)
    expect(body.pagination).toMatchObject({ total: 3, last_page: 2 })
  })
})

describe('an API token by id', () => {
  const NOT_FOUND = { success: false, message: 'Token não encontrado.' }

  it.each(['GET', 'DELETE'])('%s of none is 404', async (method) => {
    const token = await administratorToken()
    for (const id of [UNKNOWN_ID, 'nenhum', '1']) {
      const { status, body } = await callJson(`/api-tokens/${id}`, { method, token })
      expect([status, body]).toEqual([404, NOT_FOUND])
    }
  })

  it('is deleted by another administrator, with a record', async () => {
    const { id, token } = await newApiToken(['processes:read'])
    const other = await newUser('administrator')
    const options = { method: 'DELETE', token: await tokenFor(other) }
    const { status, body } = await callJson(`/api-tokens/${id}`, options)
    expect([status, body]).toEqual([
      200,
      { success: true, message: 'Token excluído com sucesso.' },
    ])
    expect((await call('/processes', { token })).status).toBe(401)
    const records = await callJson(`/audit-events?subject_id=${id}`, {
      token: await administratorToken(),
    })
    expect(records.body.data).toMatchObject([
      { actor_id: other.id, action: 'api_token.deleted', subject_type: 'api_token' },
    ])
  })
})
