import { env } from 'cloudflare:workers'
import { decode } from 'hono/jwt'
import { describe, expect, it, vi } from 'vitest'
import { heldBody, tokenOfYesterday } from '../support/ended-sessions.ts'
import { type Call, callJson } from '../support/helper.ts'
import { send as sendAny } from '../support/processes.ts'
import { newRequest } from '../support/routes.ts'
import { storedRows } from '../support/stored.ts'
import type { RoleSlug } from '#domain/roles.ts'

/** Who holds a token. */
type Holder = { id: string; role: RoleSlug; token: string }

async function send(method: string, path: string, options: Call): Promise<void> {
  const { body, ...others } = options
  const { status } = await sendAny(method, path, body, others)
  expect([method, path, status]).toEqual([method, path, 200])
}

/** The ways in which a session ends. A write sees of them another version, role or time, or no user. */
const ENDINGS: Record<string, (holder: Holder) => Promise<unknown>> = {
  'by logging out': ({ token }) => send('POST', '/auth/logout', { token }),
  'by deletion': ({ id, role }) => send('DELETE', `/${role}s/${id}`, {}),
  'by another role': ({ id }) =>
    env.DB.prepare(
      `update users set role_id = (select id from roles where id <> users.role_id)
       where id = ?`,
    )
      .bind(id)
      .run(),
  'by expiry': async () => vi.useRealTimers(),
}

// The check of any write, and that of a re-authentication.
describe.each(['PATCH /v1/informers/{informer}', 'PUT /v1/auth/password'])(
  '%s',
  (route) => {
    it.each(Object.entries(ENDINGS))(
      'writes nothing for a caller whose session ends %s before the body',
      async (ending, end) => {
        const { path, call } = await newRequest(route)
        const { token: current = '' } = call
        const { sub: id, role } = decode(current).payload as {
          sub: string
          role: RoleSlug
        }
        const isByExpiry = ending === 'by expiry'
        const token = isByExpiry ? await tokenOfYesterday({ id, role }) : current

        let before = {}
        const body = heldBody(call.body, async () => {
          await end({ id, role, token })
          before = await storedRows()
        })
        const response = await callJson(path, { ...call, token, body })
        const refused = { success: false, message: 'Token inválido' }
        expect([response.status, response.body]).toEqual([401, refused])
        expect(response.headers.get('WWW-Authenticate')).toContain(
          `The access token ${isByExpiry ? 'expired' : 'is invalid'}`,
        )
        expect(await storedRows()).toEqual(before)
      },
    )
  },
)
