import { createExecutionContext, createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { administratorToken, type Call, callJson } from './helper.ts'
import type { EmailKind } from '#database/schema/emails.ts'
import app from '#index.ts'
import { digest } from '#security/hashes.ts'

export type Email = {
  from: string | EmailAddress
  to: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/**
 * The EMAIL binding with a list of its sent emails; optionally, the first sends fail, with a code
 * of Cloudflare's.
 */
export function mailbox(failures = 0, code?: string) {
  const sent: Email[] = []
  let left = failures
  const EMAIL = {
    send: async (email: Email) => {
      if (left-- > 0) {
        throw Object.assign(new Error(`cannot send to ${email.to}`), { code })
      }
      sent.push(email)
      return env.EMAIL.send(email)
    },
  }
  return { EMAIL, sent }
}

export const newEmail = () => `${crypto.randomUUID()}@example.org`

/** The token of the link in an email. */
export function tokenIn(email: Email | undefined): string {
  const token = /#token=([\w-]+)/.exec(email?.text ?? '')?.[1]
  expect(token).toMatch(/^[\w-]{43}$/)
  return token ?? ''
}

/** The token of a new link, as an email would bring it; by default to set a password. */
export async function newLinkToken(
  userId: string,
  kind: EmailKind = 'password_reset',
): Promise<string> {
  const token = crypto.randomUUID()
  await env.DB.prepare(
    `insert into email_tokens (token_hash, user_id, kind, expires_at)
     values (?, ?, ?, '9999')`,
  )
    .bind(await digest(token), userId, kind)
    .run()
  return token
}

/** Creates an informer that must verify its email. */
export async function createUnverified(
  body: Record<string, unknown>,
  bindings: Call['env'],
) {
  const response = await callJson('/informers', {
    token: await administratorToken(),
    body: { first_name: 'José', require_email_verification: true, ...body },
    env: bindings,
  })
  expect(response.status).toBe(201)
  return response.body
}

/** An informer with a sent verification link and its token. */
export async function newUnverified(body: Record<string, unknown> = {}) {
  const email = newEmail()
  const { data } = await createUnverified({ email, ...body }, {})
  const sent = await sendTo(email)
  expect(sent).toHaveLength(1)
  return { id: data.id, email, token: tokenIn(sent[0]), message: sent[0] as Email }
}

/** Runs the cron trigger, and returns what it sends to an address. */
export async function sendTo(email: string): Promise<Email[]> {
  const { EMAIL, sent } = mailbox()
  await runCron({ EMAIL })
  return sent.filter(({ to }) => to === email)
}

/** The subjects of emails that tell of a change, and have no link. */
const NOTICES = [
  'A sua senha foi alterada',
  'O seu email foi alterado',
  'O segundo fator foi ativado',
  'O segundo fator foi desativado',
  'Alguém usou a sua senha',
  'Um token de API foi criado',
  'Um administrador foi cadastrado',
]

export const withoutNotices = (sent: Email[]) =>
  sent.filter(({ subject }) => !NOTICES.includes(subject))

/** Runs the cron trigger, optionally with the platform's cache, which does not run here. */
export const runCron = (
  bindings: Record<string, unknown> = {},
  cache?: Pick<CacheContext, 'purge'>,
) =>
  app.scheduled(
    createScheduledController(),
    { ...env, ...bindings } as Env,
    {
      ...createExecutionContext(),
      cache: cache as CacheContext,
    } as ExecutionContext,
  )

/** Advances the time of stored deadlines. */
export const elapse = (minutes: number) =>
  env.DB.batch(
    [
      ['email_outbox', 'due_at'],
      ['notices', 'due_at'],
      ['email_tokens', 'expires_at'],
      ['sent_emails', 'sent_at'],
      ['failed_logins', 'failed_at'],
      ['wrong_codes', 'entered_at'],
      ['users', 'second_factor_created_at'],
      ['known_addresses', 'last_login_at'],
      ['idempotency_keys', 'created_at'],
    ].map(([table, column]) =>
      env.DB.prepare(
        `update ${table} set ${column} = strftime('%Y-%m-%dT%H:%M:%f', ${column}, '-${minutes} minutes') || '000Z'`,
      ),
    ),
  )
