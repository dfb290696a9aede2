import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import app from '../src/index.ts'

export type Mail = { from: string; to: string; subject: string; text: string; html: string }

/** The EMAIL binding, with what was sent through it; or one that fails so many times first. */
export function mailbox(failures = 0) {
  const sent: Mail[] = []
  let left = failures
  const EMAIL = {
    send: async (mail: Mail) => {
      if (left-- > 0) throw new Error(`cannot send to ${mail.to}`)
      sent.push(mail)
      return env.EMAIL.send(mail)
    },
  }
  return { EMAIL, sent }
}

export const newEmail = () => `${crypto.randomUUID()}@example.org`

/** The token of the link in a mail. */
export function tokenIn(mail: Mail | undefined): string {
  const token = /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
  expect(token).toMatch(/^[\w-]{43}$/)
  return token ?? ''
}

export const runCron = (bindings: Record<string, unknown> = {}) =>
  app.scheduled(createScheduledController(), { ...env, ...bindings } as Env)

/** Lets time go by for what waits or lives until then. */
export const elapse = (minutes: number) =>
  env.DB.batch(
    [
      ['email_outbox', 'due_at'],
      ['email_tokens', 'expires_at'],
      ['failed_logins', 'failed_at'],
      ['known_addresses', 'last_login_at'],
      ['idempotency_keys', 'created_at'],
    ].map(([table, column]) =>
      env.DB.prepare(
        `update ${table} set ${column} = strftime('%Y-%m-%dT%H:%M:%f', ${column}, '-${minutes} minutes') || '000Z'`,
      ),
    ),
  )
