import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'

const migrations = env.MIGRATIONS.map(({ name, queries }) => ({ name, sql: queries.join(';\n') }))

describe('migrations', () => {
  // On D1 the DROP TABLE of a rebuild fires ON DELETE CASCADE and deletes child rows, reporting success.
  it.each(migrations)('$name only adds', ({ sql }) => {
    expect(sql).not.toMatch(/\bDROP\s+(TABLE|COLUMN)\b/i)
    expect(sql).not.toMatch(/__new_/)
    expect(sql).not.toMatch(/ON\s+DELETE\s+CASCADE/i)
    expect(sql.replace(/CREATE TRIGGER[\s\S]*?END/g, '')).not.toMatch(/\bDELETE\s+FROM\b/i)
  })

  it('lay the two roles', async () => {
    const { results } = await env.DB.prepare('select slug, name from roles order by id').all()
    expect(results).toEqual([
      { slug: 'informer', name: 'Informante' },
      { slug: 'administrator', name: 'Administrador' },
    ])
  })
})

describe('the database itself refuses', () => {
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
    ['a colour that is none', "update groups set color = 'red'", /CHECK/],
    ['a state of three letters', "update dioceses set state = 'BRA'", /CHECK/],
    ['a flag of 2', 'update categories set active = 2', /CHECK/],
    [
      'deleting a user who has completed something',
      "delete from users where email = 'ana@example.org'",
      /FOREIGN KEY/,
    ],
  ])('%s', async (_, sql, reason) => {
    await expect(env.DB.prepare(sql).run()).rejects.toThrow(reason)
  })
})
