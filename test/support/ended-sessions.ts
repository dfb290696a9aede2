import { env } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import { newEmail, newLinkToken } from './emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  type Call,
  callJson,
  PASSWORD,
  tokenFor,
} from './helper.ts'
import { DEMO_PASSWORD_HASH } from './password-cost.ts'
import type { RoleSlug } from '#domain/roles.ts'

/** Who holds a token. */
export type Holder = { id: string; role: RoleSlug; token: string }

const DAY_MS = 24 * 60 * 60 * 1000

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

/** The ways in which a session ends. */
export const ENDINGS: Record<string, (holder: Holder) => Promise<unknown>> = {
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
export async function prepareHolder({ id }: Holder): Promise<void> {
  await env.DB.prepare('update users set email = ?, password_hash = ? where id = ?')
    .bind(newEmail(), DEMO_PASSWORD_HASH, id)
    .run()
}

/** A token of yesterday. The service takes it for valid until the real time is back. */
export async function tokenOfYesterday(holder: Holder): Promise<string> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - DAY_MS })
  return tokenFor(holder)
}

const beforeSecondRoundTrip = (work: () => Promise<unknown>) =>
  beforeRoundTrips((trip) => (trip === 2 ? work() : undefined))

/**
 * A request that is held on its way, until some work is done: after its guard, but before its body
 * is sent or, without one, before its second round trip.
 */
export function held(
  { body, env: bindings, ...call }: Call,
  work: () => Promise<unknown>,
): Call {
  if (body === undefined) {
    return { ...call, env: { ...bindings, DB: beforeSecondRoundTrip(work) } }
  }

  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const slowBody = new ReadableStream(
    {
      async pull(controller) {
        await work()
        controller.enqueue(bytes)
        controller.close()
      },
    },
    { highWaterMark: 0 }, // nothing is pulled before it is read
  )
  return { ...call, env: bindings ?? {}, body: slowBody }
}
