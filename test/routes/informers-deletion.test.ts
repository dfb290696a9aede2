import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import { fail, HOME, logInFrom } from '../support/failed-logins.ts'
import { administratorToken, callJson } from '../support/helper.ts'
import { create } from '../support/informers.ts'
import { storedRows } from '../support/stored.ts'
import { auditedActions } from '../support/users.ts'
import { identifierHashes } from '#security/hashes.ts'
import { parseSettings } from '#settings.ts'

const remove = async (id: string) =>
  callJson(`/informers/${id}`, { method: 'DELETE', token: await administratorToken() })

/** The tables that contain one of the texts in any column. */
async function tablesWith(texts: string[]): Promise<string[]> {
  return Object.entries(await storedRows())
    .filter(([, rows]) => texts.some((text) => rows?.includes(text)))
    .map(([table]) => table)
    .sort()
}

/** The tables that refer to users; this test must know every new one. */
async function tablesOfUsers(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `select distinct tables.name from sqlite_schema as tables
     join pragma_foreign_key_list(tables.name) as keys
     where tables.type = 'table' and tables.name not glob '_cf_*' and keys."table" = 'users'`,
  ).all<{ name: string }>()
  return results.map(({ name }) => name)
}

const PERSON = {
  first_name: 'Quitéria',
  last_name: 'Xavante',
  email: 'quiteria@example.org',
  cpf: '52998224725',
  phone: '+55 61 98888-7777',
  img_url: 'https://example.org/quiteria.png',
  password: 'Provisao2026',
}

const FORMER_EMAIL = 'antiga@example.org'

/** An informer with rows in every table that refers to users, and what may be found of them. */
async function createKnownPerson() {
  const group_id = await env.DB.prepare(
    'select group_id as id from questionnaires limit 1',
  ).first<string>('id')
  const { id } = await create({ ...PERSON, group_id, require_email_verification: true })
  const hashes = [id, PERSON.email, PERSON.cpf].flatMap((text) =>
    identifierHashes(parseSettings(env), text),
  )
  const inserts: [sql: string, ...values: unknown[]][] = [
    [
      'informer_completions (informer_id, questionnaire_id) select ?, id from questionnaires where group_id = ?',
      id,
      group_id,
    ],
    ["email_outbox (email, kind) values (?, 'password_reset')", PERSON.email],
    [
      "email_outbox (email, kind, user_id) values (?, 'email_changed', ?)", // as 3.0 queues it
      FORMER_EMAIL,
      id,
    ],
    ["notices (email, kind, user_id) values (?, 'email_changed', ?)", FORMER_EMAIL, id],
    [
      "email_tokens (token_hash, user_id, kind, expires_at) values ('h', ?, 'verification', '9')",
      id,
    ],
    [
      `api_tokens (id, token_hash, name, scopes, created_by, expires_on)
       values ('i', 'h', 'n', '[]', ?, '2999-12-31')`,
      id,
    ],
    ["idempotency_keys (key_hash, content_hash, created_id) values ('h', 'c', ?)", id],
    ["wrong_codes (id, user_id) values ('w', ?)", id],
    ...hashes.flatMap((hash): [string, ...string[]][] => [
      [
        "failed_logins (id, identifier, address) values (?, ?, 'a')",
        crypto.randomUUID(),
        hash,
      ],
      ["known_addresses (identifier, address) values (?, 'a')", hash],
    ]),
  ]
  await env.DB.batch(
    inserts.map(([sql, ...values]) =>
      env.DB.prepare(`insert into ${sql}`).bind(...values),
    ),
  )
  const { password: _, ...open } = PERSON
  const password_hash = await env.DB.prepare(
    'select password_hash from users where id = ?',
  )
    .bind(id)
    .first<string>('password_hash')
  const texts = [...hashes, String(password_hash), ...Object.values(open), FORMER_EMAIL]
  return { id: id as string, hashes, texts: [id, ...texts, 'quiteria', 'xavante'] }
}

describe('DELETE /v1/informers/{informer}', () => {
  it('leaves nothing of the person but failed logins, and the id in the audit log and by the key of its creation', async () => {
    const { id, hashes, texts } = await createKnownPerson()
    const before = await tablesWith(texts)
    expect(before).toEqual(expect.arrayContaining(await tablesOfUsers()))
    expect(before).toEqual([
      'api_tokens',
      'audit_events',
      'email_outbox',
      'email_tokens',
      'failed_logins',
      'idempotency_keys',
      'informer_completions',
      'informer_groups',
      'known_addresses',
      'notices',
      'users',
      'wrong_codes',
    ])

    const { status, body } = await remove(id)

    expect([status, body.success]).toEqual([200, true])
    expect(await tablesWith(hashes)).toEqual(['failed_logins'])
    expect(await tablesWith([id])).toEqual(['audit_events', 'idempotency_keys'])
    const open = texts.filter((text) => text !== id && !hashes.includes(text))
    expect(await tablesWith(open)).toEqual([])
  })

  it('unlocks neither the email nor the CPF', async () => {
    const person = { email: newEmail(), cpf: '39053344705', password: PERSON.password }
    for (const identifier of [person.email, person.cpf]) await fail(identifier)
    expect((await remove((await create(person)).id)).status).toBe(200)
    await create(person)
    for (const body of [{ email: person.email }, { cpf: person.cpf }]) {
      expect((await logInFrom(HOME, body)).status).toBe(429)
    }
  })

  it('leaves everything of others, and nothing of an informer without email, CPF and group', async () => {
    const email = 'terceira@example.org'
    await create({ email, require_email_verification: true })
    await callJson('/auth/login', { body: { email, password: 'x' } })
    const stored = async () => ({ ...(await storedRows()), audit_events: null })
    const before = await stored()
    const { id } = await create()
    expect((await remove(id.toUpperCase())).status).toBe(200)
    expect(await stored()).toEqual(before)
    expect(await tablesWith([id])).toEqual(['audit_events'])
  })

  it('by several at once is 200 or 404 for each, and one record', async () => {
    const { id } = await create({ email: 'varias@example.org' })
    const responses = await Promise.all(Array.from({ length: 5 }, () => remove(id)))
    expect(responses.every(({ status }) => status === 200 || status === 404)).toBe(true)
    expect(responses.some(({ status }) => status === 200)).toBe(true)
    expect(await auditedActions(id)).toEqual(['informer.created', 'informer.deleted'])
  })
})
