import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import security from '../../SECURITY.md?raw'
import { administratorToken, call, callJson, tokenFor } from '../helper.ts'

const CPF = '52998224725'

it('the statements of SECURITY.md find a person, and leave nothing of them', async () => {
  const group_id = await env.DB.prepare(
    'select group_id as id from questionnaires group by group_id having count(*) > 1 limit 1',
  ).first<string>('id')
  const { body } = await callJson('/informers', {
    token: await administratorToken(),
    body: {
      require_email_verification: true,
      first_name: 'Davi',
      cpf: CPF,
      email: 'davi@example.org',
      group_id,
    },
  })
  const { id } = body.data
  await env.DB.prepare(
    'insert into informer_completions (informer_id, questionnaire_id) select ?, id from questionnaires where group_id = ?',
  )
    .bind(id, group_id)
    .run()
  const token = await tokenFor({ id, role: 'informer' })
  expect((await call('/cover', { token })).status).toBe(200)

  const run = (block: string) => {
    const sql = new RegExp(`\`\`\`sql ${block}\\n([\\s\\S]*?)\`\`\``).exec(security)?.[1] ?? ''
    const statements = sql
      .replaceAll(':id', id)
      .split(';')
      .map((part) => part.trim())
      .filter(Boolean)
    return env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))
  }
  const access = await run('access')
  expect(access[0]?.results).toMatchObject([{ id, cpf: CPF }])
  expect(access.map(({ results }) => results.length)).toEqual([
    1,
    1,
    expect.any(Number),
    1,
    expect.any(Number),
  ])
  const { results: columns } = await env.DB.prepare("select name from pragma_table_info('users')").all<{
    name: string
  }>()
  const held = columns
    .map(({ name }) => name.replace(/(?<=.)_id$/, ''))
    .filter((name) => name !== 'password_hash')
  expect(Object.keys(access[0]?.results[0] ?? {}).sort()).toEqual(held.sort())
  expect(access[2]?.results.length).toBeGreaterThan(0)
  expect(JSON.stringify(access)).not.toContain('$scrypt')
  await run('deletion')

  const { results: tables } = await env.DB.prepare(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like '\\_cf%' escape '\\'",
  ).all<{ name: string }>()
  expect(tables.length).toBeGreaterThan(10)
  for (const { name } of tables) {
    const { results: rows } = await env.DB.prepare(`select * from "${name}"`).all()
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${id}|${CPF}|davi@example.org`))
  }
  expect((await call('/cover', { token })).status).toBe(401)
})
