import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createProcess, newMember } from '../support/processes.ts'

const migrations = env.MIGRATIONS.map(({ name, queries }) => ({
  name,
  sql: queries.join(';\n'),
}))

describe('migrations', () => {
  // On D1 the DROP TABLE of a rebuild may delete the rows of child tables, reporting success.
  it.each(migrations)('$name only adds', ({ sql }) => {
    expect(sql).not.toMatch(/\bDROP\s+(TABLE|COLUMN)\b|\bRENAME\b/i)
  })

  it('let the former Worker delete users: whatever refers to them newly is deleted with them', async () => {
    const { results } = await env.DB.prepare(
      `select distinct tables.name from sqlite_schema as tables
       join pragma_foreign_key_list(tables.name) as keys
       where tables.type = 'table' and tables.name not glob '_cf_*'
         and keys."table" = 'users' and keys.on_delete <> 'CASCADE' order by tables.name`,
    ).all<{ name: string }>()
    expect(results.map(({ name }) => name)).toEqual([
      // as old as this rule, or older
      'api_tokens',
      'email_outbox',
      'email_tokens',
      'informer_completions',
      'informer_groups',
      'notices',
      'wrong_codes',
    ])
  })

  it('have the trigger users_renamed, which copies a new folded name to the pairs', async () => {
    const [group] = (await createProcess()).groups
    const id = await newMember(group.id)
    const rename = "update users set name_folded = 'outro nome' where id = ?"
    await env.DB.prepare(rename).bind(id).run()

    const pair = 'select name_folded from informer_groups where informer_id = ?'
    expect(await env.DB.prepare(pair).bind(id).first('name_folded')).toBe('outro nome')
  })

  it('insert the two roles', async () => {
    const { results } = await env.DB.prepare(
      'select slug, name from roles order by id',
    ).all()
    expect(results).toEqual([
      { slug: 'informer', name: 'Informante' },
      { slug: 'administrator', name: 'Administrador' },
    ])
  })
})

describe('defaults', () => {
  const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

  it.each([
    [
      "insert into categories (name, name_folded, description) values ('x', 'x', 'x') returning *",
      { active: 1 },
    ],
    [
      "insert into users (id, role_id, first_name, name_folded, initials) values ('x', 1, 'X', 'x', 'X') returning *",
      { email_verification_required: 0, token_version: 1 },
    ],
    [
      "insert into changelogs (id, version, date, title, description, category) values ('x', 'v1.2.3', '2026-01-31', 'x', 'x', 'Melhoria') returning *",
      { is_published: 0, version_major: 1, version_minor: 2, version_patch: 3 },
    ],
  ])('%s', async (sql, expected) => {
    const row = await env.DB.prepare(sql).first()
    expect(row).toMatchObject({
      ...expected,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    })
  })

  it('an email of the outbox is due at once', async () => {
    const row = await env.DB.prepare(
      "insert into email_outbox (email, kind) values ('due@example.org', 'verification') returning *",
    ).first()
    expect(row).toMatchObject({ attempts: 0, due_at: expect.stringMatching(TIMESTAMP) })
  })
})

it('the pairs of an informer follow their name', async () => {
  const namesOf = async () =>
    (
      await env.DB.prepare(
        `select informer_groups.name_folded as name from informer_groups
         join users on users.id = informer_id where email = 'ana@example.org'`,
      ).all<{ name: string }>()
    ).results.map(({ name }) => name)
  expect(new Set(await namesOf())).toEqual(new Set(['ana da silva souza']))
  await env.DB.prepare(
    "update users set name_folded = 'eva' where email = 'ana@example.org'",
  ).run()
  expect(new Set(await namesOf())).toEqual(new Set(['eva']))
})

describe('the database itself rejects', () => {
  const rejection = (sql: string) => expect(env.DB.prepare(sql).run()).rejects

  it.each([
    ['users', 'email'],
    ['roles', 'slug'],
    ['processes', 'protocol_folded'],
    ['categories', 'name_folded'],
    ['treatment_pronouns', 'name_folded'],
    ['dioceses', 'state, name_folded'],
    ['groups', 'process_id, name_folded'],
    ['questionnaires', 'group_id, title_folded'],
    ['informer_groups', 'informer_id, group_id'],
    ['informer_completions', 'informer_id, questionnaire_id'],
  ])('two %s of one %s', async (table, columns) => {
    const sql = `update ${table} set (${columns}) = (select ${columns} from ${table} order by rowid limit 1)`
    await rejection(sql).toThrow(
      `UNIQUE constraint failed: ${table}.${columns.replace(' ', ` ${table}.`)}:`,
    )
  })

  it.each([
    ['users', "email = 'Ana2@example.org'"],
    ['users', "cpf = '1234567890'"],
    ['users', "cpf = '1234567890a'"],
    ['users', "first_name = ''"],
    ['users', 'email_verification_required = 2'],
    ['users', 'password_by_link = 2'],
    ['groups', "color = 'red'"],
    ['dioceses', "state = 'BRA'"],
    ['dioceses', 'active = 2'],
    ['categories', 'active = 2'],
    ['treatment_pronouns', 'active = 2'],
    ['changelogs', 'is_published = 2'],
    ['changelogs', "version = '1.2.3'"],
    ['changelogs', "version = 'v1.2'"],
    ['changelogs', "date = '2026-02-30'"],
    ['changelogs', "category = 'Outra'"],
  ])('%s with %s', async (table, wrong) => {
    await rejection(`update ${table} set ${wrong}`).toThrow('CHECK')
  })

  it.each([
    ['users', 'role_id'],
    ['users', 'category_id'],
    ['users', 'treatment_pronoun_id'],
    ['users', 'diocese_id'],
    ['groups', 'process_id'],
    ['questionnaires', 'group_id'],
    ['informer_groups', 'informer_id'],
    ['informer_groups', 'group_id'],
    ['informer_groups', 'process_id'],
    ['informer_completions', 'informer_id'],
    ['informer_completions', 'questionnaire_id'],
  ])('%s of an unknown %s', async (table, column) => {
    const sql = `update ${table} set ${column} = 9999 where rowid = (select min(rowid) from ${table})`
    await rejection(sql).toThrow('FOREIGN KEY')
  })

  it.each([
    ['UNIQUE', "update changelogs set git_commit_hash = 'abcdef1'"],
    [
      'UNIQUE',
      "insert into email_outbox (email, kind) values ('a', 'verification'), ('a', 'verification')",
    ],
    [
      'FOREIGN KEY',
      "insert into notices (email, kind, user_id) values ('b', 'email_changed', 'y')",
    ],
    [
      'CHECK',
      "insert into email_tokens (token_hash, user_id, kind, expires_at) select 't', id, 'password_changed', '9' from users",
    ],
    [
      'FOREIGN KEY',
      "insert into email_tokens (token_hash, user_id, kind, expires_at) values ('t', 'y', 'verification', '9')",
    ],
    ['FOREIGN KEY', "delete from users where email = 'ana@example.org'"], // who has completions
  ])('by %s: %s', async (reason, sql) => {
    await rejection(sql).toThrow(reason)
  })
})
