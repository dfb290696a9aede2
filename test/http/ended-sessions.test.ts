import { env } from 'cloudflare:workers'
import { decode } from 'hono/jwt'
import { describe, expect, it, vi } from 'vitest'
import { newEmail, newLinkToken } from '../support/emails.ts'
import { heldBody, tokenOfYesterday } from '../support/ended-sessions.ts'
import { administratorToken, type Call, callJson, PASSWORD } from '../support/helper.ts'
import { DEMO_PASSWORD_HASH } from '../support/password-cost.ts'
import { newRequest } from '../support/routes.ts'
import { storedRows } from '../support/stored.ts'
import type { RoleSlug } from '#domain/roles.ts'

/** Who holds a token. */
type Holder = { id: string; role: RoleSlug; token: string }

async function send(method: string, path: string, options: Call): Promise<void> {
  const { status } = await callJson(path, { method, ...options })
  expect([method, path, status]).toEqual([method, path, 200])
}

const sendAsAnother = async (method: string, { id, role }: Holder, body?: object) =>
  send(method, `/${role}s/${id}`, { token: await administratorToken(), body })

async function resetByLink({ id }: Holder): Promise<void> {
  await send('POST', '/auth/password/reset', {
    body: { token: await newLinkToken(id), password: 'Outra2026' },
  })
}

/** The ways in which a session ends. A write sees of them another version, role or time, or no user. */
const ENDINGS: Record<string, (holder: Holder) => Promise<unknown>> = {
  'by logging out': ({ token }) => send('POST', '/auth/logout', { token }),
  'by a new password': ({ token }) =>
    send('PUT', '/auth/password', {
      token,
      body: { current_password: PASSWORD, password: 'Outra2026' },
    }),
  'by a password reset': resetByLink,
  'by deletion': (holder) => sendAsAnother('DELETE', holder),
  'by a password from an administrator': (holder) =>
    sendAsAnother('PATCH', holder, { password: 'Outra2026' }),
  'by an email from an administrator': (holder) =>
    sendAsAnother('PATCH', holder, { email: newEmail() }),
  'by another role': ({ id }) =>
    env.DB.prepare(
      `update users set role_id = (select id from roles where id <> users.role_id)
       where id = ?`,
    )
      .bind(id)
      .run(),
  'by expiry': async () => vi.useRealTimers(),
}

/** Gives a user the email and password that some endings ask for. */
async function prepareHolder({ id }: Holder): Promise<void> {
  await env.DB.prepare('update users set email = ?, password_hash = ? where id = ?')
    .bind(newEmail(), DEMO_PASSWORD_HASH, id)
    .run()
}

/** A request that is about to send its body, and who sends it. */
async function newHeld(route: string) {
  const { path, call } = await newRequest(route)
  const { token = '' } = call
  const { sub, role } = decode(token).payload as { sub: string; role: RoleSlug }
  const holder = { id: sub, role, token }
  await prepareHolder(holder)
  const send = (work: (before: Holder) => Promise<unknown>, caller = holder) => {
    const body = heldBody(call.body, () => work(caller))
    return callJson(path, { ...call, token: caller.token, body })
  }
  return { holder, send }
}

// The check of any write, and that of a re-authentication.
describe.each(['PATCH /v1/informers/{informer}', 'PUT /v1/auth/password'])(
  '%s',
  (route) => {
    it('writes with a body that comes slowly, while the session goes on', async () => {
      const { send } = await newHeld(route)
      let before = {}
      const { status } = await send(async () => {
        before = await storedRows()
      })
      expect(status).toBe(200)
      expect(await storedRows()).not.toEqual(before)
    })

    it.each(Object.keys(ENDINGS))(
      'writes nothing for a caller whose session ends %s before the body',
      async (ending) => {
        const { holder, send } = await newHeld(route)
        const isByExpiry = ending === 'by expiry'
        const token = isByExpiry ? await tokenOfYesterday(holder) : holder.token

        let before = {}
        const end = async (caller: Holder) => {
          await ENDINGS[ending]?.(caller)
          before = await storedRows()
        }
        const { status, body, headers } = await send(end, { ...holder, token })
        expect([status, body]).toEqual([
          401,
          { success: false, message: 'Token inválido' },
        ])
        expect(headers.get('WWW-Authenticate')).toContain(
          `The access token ${isByExpiry ? 'expired' : 'is invalid'}`,
        )
        expect(await storedRows()).toEqual(before)
      },
    )
  },
)
