import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { administratorToken, callJson, counting, newUser } from '../support/helper.ts'
import { create } from '../support/informers.ts'
import { auditedActions } from '../support/users.ts'
import { identifierHashes } from '#security/hashes.ts'
import { parseSettings } from '#settings.ts'

const remove = async (id: string, options = {}) =>
  callJson(`/informers/${id}`, {
    method: 'DELETE',
    token: await administratorToken(),
    ...options,
  })

const namesOf = async (sql: string) =>
  (await env.DB.prepare(sql).all<{ name: string }>()).results

const tables = async () =>
  (
    await namesOf(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'",
    )
  )
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('_cf_'))

/** The tables that contain one of the texts in any column. */
async function tablesWith(texts: string[]): Promise<string[]> {
  const found: string[] = []
  for (const table of await tables()) {
    const { results } = await env.DB.prepare(`select * from "${table}"`).all()
    const rows = JSON.stringify(results)
    if (texts.some((text) => rows.includes(text))) found.push(table)
  }
  return found.sort()
}

/** The tables that refer to users; this test must know every new one. */
async function tablesOfUsers(): Promise<string[]> {
  const found: string[] = []
  for (const table of await tables()) {
    const keys = await env.DB.prepare(
      `select "table" as name from pragma_foreign_key_list('${table}')`,
    ).all()
    if (keys.results.some(({ name }) => name === 'users')) found.push(table)
  }
  return found.sort()
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

/** An informer with rows in every table that refers to users. */
async function createKnownPerson() {
  const group_id = await env.DB.prepare(
    'select group_id as id from questionnaires limit 1',
  ).first<string>('id')
  const { id } = await create({ ...PERSON, group_id, require_email_verification: true })
  const hashes = await Promise.all(
    [id, PERSON.email, PERSON.cpf].flatMap((text) =>
      identifierHashes(parseSettings(env), text),
    ),
  )
  const insert = (sql: string, ...values: string[]) => env.DB.prepare(sql).bind(...values)
  await env.DB.batch([
    insert(
      'insert into informer_completions (informer_id, questionnaire_id) select ?, id from questionnaires where group_id = ?',
      id,
      group_id ?? '',
    ),
    insert(
      "insert or ignore into email_outbox (email, kind) values (?, 'password_reset')",
      PERSON.email,
    ),
    insert(
      "insert or ignore into email_outbox (email, kind) values (?, 'verification')",
      PERSON.email,
    ),
    insert(
      "insert into email_outbox (email, kind, user_id) values (?, 'email_changed', ?)",
      FORMER_EMAIL,
      id,
    ),
    insert(
      "insert into email_tokens (token_hash, user_id, kind, expires_at) values ('h', ?, 'verification', '9')",
      id,
    ),
    insert(
      `insert into api_tokens (id, token_hash, name, scopes, created_by, expires_on)
       values ('i', 'h', 'n', '[]', ?, '2999-12-31')`,
      id,
    ),
    insert(
      "insert into idempotency_keys (key_hash, content_hash, created_id) values ('h', 'c', ?)",
      id,
    ),
    insert("insert into wrong_codes (id, user_id) values ('w', ?)", id),
    ...hashes.flatMap((hash) => [
      insert(
        'insert into failed_logins (id, identifier, address) values (?, ?, ?)',
        crypto.randomUUID(),
        hash,
        'a',
      ),
      insert(
        'insert into known_addresses (identifier, address) values (?, ?)',
        hash,
        'a',
      ),
    ]),
  ])
  const password_hash = await insert(
    'select password_hash from users where id = ?',
    id,
  ).first<string>('password_hash')
  const { password: _, ...open } = PERSON
  return {
    id,
    texts: [
      id,
      ...hashes,
      password_hash ?? '',
      ...Object.values(open),
      FORMER_EMAIL,
      'quiteria',
      'xavante',
    ],
  }
}

describe('DELETE /v1/informers/{informer}', () => {
  it('leaves nothing of the person but the id, in the audit log and by the key of its creation', async () => {
    const { id, texts } = await createKnownPerson()
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
      'users',
      'wrong_codes',
    ])
    const bystander = await create({ email: 'outra@example.org' })

    const { status, body } = await remove(id)
    expect([status, body.success]).toEqual([200, true])
    expect(await tablesWith(texts)).toEqual(['audit_events', 'idempotency_keys'])
    expect(await tablesWith(texts.filter((text) => text !== id))).toEqual([])
    expect(await tablesWith([bystander.id])).toContain('users')
  })

  it('leaves nothing of an informer without email, CPF and group', async () => {
    const { id } = await create()
    expect((await remove(id.toUpperCase())).status).toBe(200)
    expect(await tablesWith([id])).toEqual(['audit_events'])
  })

  it('keeps the failed logins of others', async () => {
    const count = (table: string) =>
      env.DB.prepare(`select count(*) as n from ${table}`).first<number>('n')
    const other = await create({
      email: 'terceira@example.org',
      require_email_verification: true,
    })
    await callJson('/auth/login', {
      body: { email: 'terceira@example.org', password: 'x' },
    })
    const before = await Promise.all(
      ['failed_logins', 'email_outbox', 'users'].map(count),
    )
    const { id } = await create()
    await remove(id)
    expect(
      await Promise.all(['failed_logins', 'email_outbox', 'users'].map(count)),
    ).toEqual(before)
    await remove(other.id)
  })

  it('responds 404 for an administrator, and deletes nothing', async () => {
    const { id } = await newUser('administrator')
    expect((await remove(id)).status).toBe(404)
    expect(await tablesWith([id])).toEqual(['users'])
  })

  it('needs three round trips, regardless of the rows of the person', async () => {
    const group_id = await env.DB.prepare('select id from groups limit 1').first('id')
    for (const body of [{}, { email: 'v@example.org', cpf: '39053344705', group_id }]) {
      const { id } = await create(body)
      const { binding, count } = counting()
      expect((await remove(id, { env: { DB: binding } })).status).toBe(200)
      expect(count.roundTrips).toBe(3)
      expect(count.rowsRead).toBeLessThan(80)
    }
  })

  it('by several at once is 200 or 404 for each, and one record', async () => {
    const { id } = await create({ email: 'varias@example.org' })
    const responses = await Promise.all(Array.from({ length: 5 }, () => remove(id)))
    expect(responses.every(({ status }) => status === 200 || status === 404)).toBe(true)
    expect(responses.some(({ status }) => status === 200)).toBe(true)
    expect(await auditedActions(id)).toEqual(['informer.created', 'informer.deleted'])
  })
})
