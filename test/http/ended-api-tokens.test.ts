import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { dayIn, newApiToken } from '../support/api-tokens.ts'
import { newEmail, newLinkToken } from '../support/emails.ts'
import { heldBody } from '../support/ended-sessions.ts'
import { callJson, newUser, PASSWORD, tokenFor } from '../support/helper.ts'
import { DEMO_PASSWORD_HASH } from '../support/password-cost.ts'
import { send as sendAny } from '../support/processes.ts'
import { newRequest } from '../support/routes.ts'
import { codeOf, newFactorOwner } from '../support/second-factors.ts'
import { storedRows } from '../support/stored.ts'

type Token = Awaited<ReturnType<typeof newApiToken>>

const ENDED = [401, { success: false, message: 'Token inválido' }]

const send = async (method: string, path: string, token?: string, body?: object) =>
  (await sendAny(method, path, body, token === undefined ? {} : { token })).status

/** The ways in which an API token ends. */
const ENDINGS: Record<string, (token: Token) => Promise<unknown>> = {
  'by its deletion': ({ id }) => send('DELETE', `/api-tokens/${id}`),
  'with its maker': ({ maker }) => send('DELETE', `/administrators/${maker}`),
  'with the sessions of its maker': ({ maker }) =>
    send('DELETE', `/administrators/${maker}/sessions`),
  'with the role of its maker': ({ maker }) =>
    env.DB.prepare(
      "update users set role_id = (select id from roles where slug = 'informer') where id = ?",
    )
      .bind(maker)
      .run(),
  'with its day': async () => vi.useRealTimers(),
}

/** All rows but the day of the last use, which is written for any valid token. */
async function writtenRows() {
  const { api_tokens: _, ...rows } = await storedRows()
  return rows
}

describe('PATCH /v1/informers/{informer}', () => {
  it.each(Object.keys(ENDINGS))(
    'writes nothing if the API token ends %s before the body',
    async (ending) => {
      const { path, call: options } = await newRequest('PATCH /v1/informers/{informer}')
      const isByDay = ending === 'with its day'
      const expires_on = dayIn(isByDay ? -1 : 1)
      const token = await newApiToken(['informers:write'], { expires_on })
      if (isByDay) {
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 24 * 60 * 60 * 1000 })
      }

      let before = {}
      const body = heldBody(options.body, async () => {
        await ENDINGS[ending]?.(token)
        before = await writtenRows()
      })
      const response = await callJson(path, { ...options, token: token.token, body })
      expect([response.status, response.body]).toEqual(ENDED)
      expect(response.headers.get('WWW-Authenticate')).toContain(
        isByDay ? 'expired' : 'invalid',
      )
      expect(await writtenRows()).toEqual(before)
    },
  )
})

describe('what ends all tokens of an administrator', () => {
  it.each([
    ['administrator.deleted', ''],
    ['session.ended', '/sessions'],
  ])('%s deletes them, and is recorded alone', async (action, path) => {
    const { id: maker } = await newUser('administrator')
    const tokens = [
      await newApiToken(['processes:read'], { maker }),
      await newApiToken(['processes:read'], { maker, expires_on: dayIn(-1) }),
    ]
    const other = await newApiToken(['processes:read'])
    expect(await send('DELETE', `/administrators/${maker}${path}`)).toBe(200)
    for (const { id, token } of tokens) {
      expect(await send('GET', `/api-tokens/${id}`)).toBe(404)
      expect(await send('GET', '/processes', token)).toBe(401)
    }
    expect(await send('GET', '/processes', other.token)).toBe(200)
    const { results } = await env.DB.prepare(
      'select action from audit_events where subject_id in (?, ?, ?)',
    )
      .bind(maker, ...tokens.map(({ id }) => id))
      .all()
    expect(results).toEqual([{ action }])
  })
})

describe('nothing else ends one', () => {
  /** What a maker, or somebody else, does to the login of the maker. */
  const CHANGES: Record<string, (id: string, token: string) => Promise<number>> = {
    'logging out': (_, token) => send('POST', '/auth/logout', token),
    'a new password': (_, token) =>
      send('PUT', '/auth/password', token, {
        current_password: PASSWORD,
        password: 'Outra2026',
      }),
    'a password by a link': async (id) =>
      send('POST', '/auth/password/reset', undefined, {
        token: await newLinkToken(id),
        password: 'Outra2026',
      }),
    'a password of another': (id) =>
      send('PATCH', `/administrators/${id}`, undefined, { password: 'Outra2026' }),
    'a new email': (id) =>
      send('PATCH', `/administrators/${id}`, undefined, { email: newEmail() }),
    'switching the second factor off, by another': (id) =>
      send('DELETE', `/administrators/${id}/second-factor`),
  }

  it.each(Object.keys(CHANGES))('neither %s', async (change) => {
    const { id: maker } = await newUser('administrator', crypto.randomUUID(), {
      email: newEmail(),
      password_hash: DEMO_PASSWORD_HASH,
    })
    const { token } = await newApiToken(['processes:read'], { maker })
    const login = await tokenFor({ id: maker, role: 'administrator' })
    expect(await CHANGES[change]?.(maker, login)).toBe(200)
    expect(await send('GET', '/processes', token)).toBe(200)
  })

  it('nor switching the second factor off oneself', async () => {
    const owner = await newFactorOwner()
    const { token } = await newApiToken(['processes:read'], { maker: owner.id })
    const body = { current_password: PASSWORD, code: codeOf(owner.secret) }
    expect(await send('DELETE', '/auth/second-factor', owner.token, body)).toBe(200)
    expect(await send('GET', '/processes', token)).toBe(200)
  })
})
