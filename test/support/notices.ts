import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { mailbox, newLinkToken, runCron } from './emails.ts'
import { callJson, type newLogin, PASSWORD, tokenFor } from './helper.ts'
import { send } from './processes.ts'

export const NEW = 'Outra2026'
export const PASSWORD_CHANGED = 'A sua senha foi alterada'
export const EMAIL_CHANGED = 'O seu email foi alterado'

export type Person = Awaited<ReturnType<typeof newLogin>>

export const pathOf = ({ id, role }: Person) => `/${role}s/${id}`

export async function patch(person: Person, body: object, bindings = {}) {
  const { status } = await send('PATCH', pathOf(person), body, { env: bindings })
  expect(status).toBe(200)
}

export async function changePassword(person: Person, bindings = {}) {
  const { status } = await callJson('/auth/password', {
    method: 'PUT',
    token: await tokenFor(person),
    body: { current_password: PASSWORD, password: NEW },
    env: bindings,
  })
  expect(status).toBe(200)
}

export async function resetPassword(person: Person, bindings = {}) {
  const { status } = await callJson('/auth/password/reset', {
    body: { token: await newLinkToken(person.id), password: NEW },
    env: bindings,
  })
  expect(status).toBe(200)
}

/** The subjects of what the next trigger sends, by address. */
export async function sendAll(bindings = {}): Promise<Record<string, string[]>> {
  const { EMAIL, sent } = mailbox()
  await runCron({ EMAIL, ...bindings })
  const received: Record<string, string[]> = {}
  for (const { to, subject } of sent) {
    received[to] = [...(received[to] ?? []), subject].toSorted()
  }
  return received
}

export const queued = () =>
  env.DB.prepare(
    'select (select count(*) from email_outbox) + (select count(*) from notices) as n',
  ).first<number>('n')
