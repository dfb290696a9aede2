import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  callJson,
  counting,
  failingDatabase,
  newLogin,
  PASSWORD,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { auditedActions } from '../support/users.ts'
import type { RoleSlug } from '#domain/roles.ts'
import { keyedHash } from '#security/hashes.ts'

const CPF = '11144477735'

const login = (body: object, bindings = {}) =>
  callJson('/auth/login', { body: { password: PASSWORD, ...body }, env: bindings })

const newUserOf = (role: RoleSlug, options = {}) => newLogin({ role, ...options })

const trustedOf = (email: string) =>
  env.DB.prepare('select count(*) as n from known_addresses where identifier = ?')
    .bind(keyedHash(env.JWT_SECRET, 'identifier', email))
    .first('n')

describe('POST /v1/auth/login of an administrator', () => {
  it('is recorded, in one round trip before the response and one after it', async () => {
    const { id, email } = await newUserOf('administrator')
    const { binding, count, behind } = counting()
    const { status, headers } = await login({ email }, { DB: binding })
    expect(status).toBe(200)
    expect(logged('info').at(-1)).toMatchObject({ round_trips: 1 })
    expect([count.roundTrips, behind.roundTrips]).toEqual([1, 1])

    const { results } = await env.DB.prepare(
      `select actor_id, action, subject_type, subject_id, request_id from audit_events
       where subject_id = ?`,
    )
      .bind(id)
      .all()
    expect(results).toEqual([
      {
        actor_id: id,
        action: 'session.started',
        subject_type: 'user',
        subject_id: id,
        request_id: headers.get('X-Request-Id'),
      },
    ])
  })

  it('is recorded each time, also by CPF', async () => {
    const { id, email } = await newUserOf('administrator')
    await env.DB.prepare('update users set cpf = null where cpf = ?').bind(CPF).run()
    await env.DB.prepare('update users set cpf = ? where id = ?').bind(CPF, id).run()
    expect((await login({ email })).status).toBe(200)
    expect((await login({ cpf: CPF })).status).toBe(200)
    expect(await auditedActions(id, id)).toEqual(['session.started', 'session.started'])
  })

  it('is not recorded with a wrong password', async () => {
    const { id, email } = await newUserOf('administrator')
    expect((await login({ email, password: 'Errada2026' })).status).toBe(401)
    expect(await auditedActions(id)).toEqual([])
  })

  it('is not recorded while the email is unconfirmed', async () => {
    const { id, email } = await newUserOf('administrator', { verification: 'required' })
    expect((await login({ email })).status).toBe(403)
    expect(await auditedActions(id)).toEqual([])
  })

  it('is remembered with its record or not at all, and the log tells', async () => {
    const { id, email } = await newUserOf('administrator')
    const text = 'D1_ERROR: D1 DB is overloaded. Too many requests queued.'
    const DB = failingDatabase(text, (trip) => trip > 1)
    expect((await login({ email }, { DB })).status).toBe(200)
    expect([await auditedActions(id), await trustedOf(email)]).toEqual([[], 0])
    expect(logged('error').at(-1)).toMatchObject({
      event: 'login not remembered',
      message: text,
    })
  })
})

it('POST /v1/auth/login of an informer leaves no record', async () => {
  const { id, email } = await newUserOf('informer')
  expect((await login({ email })).status).toBe(200)
  expect(await trustedOf(email)).toBe(1)
  expect(await auditedActions(id)).toEqual([])
})

it('GET /v1/audit-events finds the logins of administrators', async () => {
  const { id, email } = await newUserOf('administrator')
  const { body } = await login({ email })
  const { status, body: found } = await callJson(
    `/audit-events?action=session.started&actor_id=${id}`,
    { token: body.data.access_token },
  )
  expect([status, found.data.length]).toEqual([200, 1])
})
