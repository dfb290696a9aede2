import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/domain/folding.ts'

const migrations = env.MIGRATIONS.map(({ name, queries }) => ({ name, sql: queries.join(';\n') }))

describe('migrations', () => {
  // On D1 the DROP TABLE of a rebuild fires ON DELETE CASCADE and deletes child rows, reporting success.
  it.each(migrations)('$name only adds', ({ sql }) => {
    expect(sql).not.toMatch(/\bDROP\s+(TABLE|COLUMN)\b/i)
    expect(sql).not.toMatch(/__new_/)
    expect(sql).not.toMatch(/ON\s+DELETE\s+CASCADE/i)
    expect(sql.replace(/CREATE TRIGGER[\s\S]*?END/g, '')).not.toMatch(/\bDELETE\s+FROM\b/i)
  })

  it('insert the two roles', async () => {
    const { results } = await env.DB.prepare('select slug, name from roles order by id').all()
    expect(results).toEqual([
      { slug: 'informer', name: 'Informante' },
      { slug: 'administrator', name: 'Administrador' },
    ])
  })
})

describe('defaults', () => {
  const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

  it.each([
    ["insert into categories (name, description) values ('x', 'x') returning *", { active: 1 }],
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

describe('folded names', () => {
  it('of existing rows are filled as new ones are, but for those that collide', async () => {
    const letters = 'ÁÀÂÃÉÊÍÓÔÕÚÜÇ áàâãéêíóôõúüç Nº 1ª A-z'
    const names = [letters, 'Ação', 'ACAO', 'ação']
    const insert = (sql: string, ...values: string[]) => env.DB.prepare(sql).bind(...values)
    const id = crypto.randomUUID()
    await env.DB.batch([
      ...names.map((name, n) => insert('insert into processes (id, name, protocol) values (?2, ?1, ?1)', name, id + n)),
      ...names.map((name, n) =>
        insert(
          "insert into groups (id, process_id, name, color, description) values (?, ?, ?, '#000000', '')",
          id + n,
          `${id}0`,
          name,
        ),
      ),
      ...names.map((name, n) =>
        insert('insert into questionnaires (id, group_id, title) values (?, ?, ?)', id + n, `${id}0`, name),
      ),
    ])
    const fills = env.MIGRATIONS.flatMap(({ queries }) => queries).filter((sql) =>
      /UPDATE (OR IGNORE )?`(processes|groups|questionnaires)` SET `\w+_folded`/.test(sql),
    )
    expect(fills).toHaveLength(4)
    for (const sql of fills) await env.DB.prepare(sql).run()
    const read = async (column: string, table: string) =>
      (
        await env.DB.prepare(`select ${column} as folded from ${table} where id glob ? order by id`)
          .bind(`${id}*`)
          .all()
      ).results.map(({ folded }) => folded)
    expect(await read('name_folded', 'processes')).toEqual(names.map(fold))
    for (const [column, table] of [
      ['protocol_folded', 'processes'],
      ['name_folded', 'groups'],
      ['title_folded', 'questionnaires'],
    ] as const)
      expect(await read(column, table)).toEqual([fold(letters), 'acao', null, null])
  })
})

describe('the database itself rejects', () => {
  const user = (fields: string, values: string) =>
    `insert into users (id, role_id, first_name, name_folded, initials${fields}) values ('${crypto.randomUUID()}', 1, 'X', 'x', 'X'${values})`

  it.each([
    ['two users of one email', user(', email', ", 'ana@example.org'"), /UNIQUE/],
    ['an email that is not in lower case', user(', email', ", 'Ana2@example.org'"), /CHECK/],
    ['a CPF of ten digits', user(', cpf', ", '1234567890'"), /CHECK/],
    ['a CPF with a letter', user(', cpf', ", '1234567890a'"), /CHECK/],
    ['a user without a first name', user('', '').replace("'X', 'x'", "'', 'x'"), /CHECK/],
    ['a user of no role', user('', '').replace(', 1,', ', 9,'), /FOREIGN KEY/],
    ['a reference to no category', user(', category_id', ', 9999'), /FOREIGN KEY/],
    [
      'two processes of one protocol',
      "insert into processes (id, name, protocol) values ('p', 'x', 'BR-2026-001')",
      /UNIQUE/,
    ],
    [
      'two processes of one protocol but for case and accents',
      "insert into processes (id, name, protocol, protocol_folded) values ('p', 'x', 'br-2026-001', 'br-2026-001')",
      /UNIQUE/,
    ],
    [
      'two groups of one name in a process but for case and accents',
      "insert into groups (id, process_id, name, name_folded, color, description) select 'g', process_id, 'x', name_folded, color, '' from groups where name_folded is not null limit 1",
      /UNIQUE/,
    ],
    [
      'two questionnaires of one title in a group but for case and accents',
      "insert into questionnaires (id, group_id, title, title_folded) select 'q', group_id, 'x', title_folded from questionnaires where title_folded is not null limit 1",
      /UNIQUE/,
    ],
    [
      'two groups of one name in a process',
      "insert into groups (id, process_id, name, color, description) select 'g', process_id, name, color, '' from groups limit 1",
      /UNIQUE/,
    ],
    [
      'two questionnaires of one title in a group',
      "insert into questionnaires (id, group_id, title) select 'q', group_id, title from questionnaires limit 1",
      /UNIQUE/,
    ],
    [
      'an association made twice',
      'insert into informer_groups (informer_id, group_id) select informer_id, group_id from informer_groups limit 1',
      /UNIQUE/,
    ],
    [
      'a completion made twice',
      'insert into informer_completions (informer_id, questionnaire_id) select informer_id, questionnaire_id from informer_completions limit 1',
      /UNIQUE/,
    ],
    ['two roles of one slug', "insert into roles (name, slug, description) values ('x', 'informer', 'x')", /UNIQUE/],
    ['a colour that is none', "update groups set color = 'red'", /CHECK/],
    ['a state of three letters', "update dioceses set state = 'BRA'", /CHECK/],
    ['a flag of 2', 'update categories set active = 2', /CHECK/],
    ['a pronoun with a flag of 2', 'update treatment_pronouns set active = 2', /CHECK/],
    ['a diocese with a flag of 2', 'update dioceses set active = 2', /CHECK/],
    ['a user with a flag of 2', 'update users set email_verification_required = 2', /CHECK/],
    ['a publication flag of 2', 'update changelogs set is_published = 2', /CHECK/],
    ['a version without its prefix', "update changelogs set version = '1.2.3'", /CHECK/],
    ['a version of two numbers', "update changelogs set version = 'v1.2'", /CHECK/],
    ['a date that is none', "update changelogs set date = '2026-02-30'", /CHECK/],
    ['a category that is none', "update changelogs set category = 'Outra'", /CHECK/],
    ['two entries of one commit', "update changelogs set git_commit_hash = 'abcdef1'", /UNIQUE/],
    ['an email of no kind', "insert into email_outbox (email, kind) values ('a@example.org', 'x')", /CHECK/],
    [
      'one email twice in the outbox',
      "insert into email_outbox (email, kind) values ('a@example.org', 'verification'), ('a@example.org', 'verification')",
      /UNIQUE/,
    ],
    [
      'a token of no kind',
      "insert into email_tokens (token_hash, user_id, kind, expires_at) select 't', id, 'x', '9999' from users limit 1",
      /CHECK/,
    ],
    [
      'a token of an unknown user',
      "insert into email_tokens (token_hash, user_id, kind, expires_at) values ('t', 'nobody', 'verification', '9999')",
      /FOREIGN KEY/,
    ],
    [
      'a group of no process',
      "update groups set process_id = 'nothing' where id = (select id from groups limit 1)",
      /FOREIGN KEY/,
    ],
    [
      'a questionnaire of no group',
      "update questionnaires set group_id = 'nothing' where id = (select id from questionnaires limit 1)",
      /FOREIGN KEY/,
    ],
    [
      'an association of an unknown informer',
      "update informer_groups set informer_id = 'nothing' where id = (select min(id) from informer_groups)",
      /FOREIGN KEY/,
    ],
    [
      'an association with no group',
      "update informer_groups set group_id = 'nothing' where id = (select min(id) from informer_groups)",
      /FOREIGN KEY/,
    ],
    [
      'a completion of an unknown informer',
      "update informer_completions set informer_id = 'nothing' where rowid = (select min(rowid) from informer_completions)",
      /FOREIGN KEY/,
    ],
    [
      'a completion of an unknown questionnaire',
      "update informer_completions set questionnaire_id = 'nothing' where rowid = (select min(rowid) from informer_completions)",
      /FOREIGN KEY/,
    ],
    ['a user of no pronoun', 'update users set treatment_pronoun_id = 9999', /FOREIGN KEY/],
    ['a user of no diocese', 'update users set diocese_id = 9999', /FOREIGN KEY/],
    ['deleting a user with completions', "delete from users where email = 'ana@example.org'", /FOREIGN KEY/],
  ])('%s', async (_, sql, reason) => {
    await expect(env.DB.prepare(sql).run()).rejects.toThrow(reason)
  })
})

it('names of the lists are folded as fold does, and what collides keeps null', async () => {
  const tables = ['categories', 'treatment_pronouns', 'dioceses']
  const letters = 'ÁÀÂÃÄáàâãäÉÈÊËéèêëÍÌÎÏíìîïÓÒÔÕÖóòôõöÚÙÛÜúùûüÇçÑñ'
  await env.DB.batch([
    ...tables.map((table) => env.DB.prepare(`update ${table} set name_folded = null`)),
    env.DB.prepare("insert into categories (id, name, description) values (9001, 'cardeal', ''), (9002, ?, '')").bind(
      letters,
    ),
  ])
  const backfills = env.MIGRATIONS.flatMap(({ queries }) => queries.filter((query) => /UPDATE OR IGNORE/.test(query)))
  await env.DB.batch(backfills.map((query) => env.DB.prepare(query)))
  for (const table of tables) {
    const { results } = await env.DB.prepare(`select * from ${table} where id <> 9001`).all<
      Record<'name' | 'name_folded', string>
    >()
    expect(results.map((row) => row.name_folded)).toEqual(results.map(({ name }) => fold(name)))
  }
  expect(await env.DB.prepare('select name_folded from categories where id = 9001').first()).toEqual({
    name_folded: null,
  })
})
