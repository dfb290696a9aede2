import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { createDemoData } from '../../scripts/dev/demo-data.ts'
import { administratorToken, BASE } from '../support/helper.ts'
import { contents, serveCommands } from './helper.ts'

beforeEach(serveCommands)

/** The pairs of all informers, in order, and how many questionnaires of each are completed. */
async function pairs() {
  const { results } = await env.DB.prepare(
    `select first_name, last_name, email, protocol, groups.name as name,
       (select count(*) from informer_completions
         join questionnaires on questionnaires.id = questionnaire_id
         where informer_id = users.id and group_id = groups.id) as completed
     from users left join informer_groups on informer_id = users.id
     left join groups on groups.id = informer_groups.group_id
     left join processes on processes.id = groups.process_id
     where role_id = 1 order by email, informer_groups.id`,
  ).all()
  return results
}

it('npm start adds nothing to the demo data that tests insert, and the same informers', async () => {
  const { users: _, ...before } = await contents()
  const expected = await pairs()
  await env.DB.batch([
    env.DB.prepare('delete from informer_completions'),
    env.DB.prepare('delete from informer_groups'),
    env.DB.prepare('delete from users where role_id = 1'),
  ])

  const service = { baseUrl: BASE, token: await administratorToken() }
  await createDemoData(service)
  expect(await pairs()).toEqual(expected)

  await env.DB.prepare('delete from informer_completions').run() // as if interrupted
  await createDemoData(service)
  expect(await pairs()).toEqual(expected)
  const { categories, treatment_pronouns, dioceses, processes, groups, changelogs } =
    await contents()
  const document = { categories, treatment_pronouns, dioceses, processes, groups }
  expect(before).toMatchObject({ ...document, changelogs })
})

it('the demo data have the lists, processes and users of the README', async () => {
  const rows = await contents()
  const counts = Object.entries(rows).map(([table, { length }]) => [table, length])
  expect(Object.fromEntries(counts)).toMatchObject({
    categories: 100,
    treatment_pronouns: 50,
    dioceses: 281,
    processes: 2,
    groups: 12,
    users: 4,
    changelogs: 5,
    email_outbox: 0,
  })
  expect(rows.changelogs?.map(({ is_published }) => is_published)).toEqual([
    1, 1, 1, 1, 0,
  ])
  expect(await pairs()).toMatchObject([
    {
      email: 'ana@example.org',
      protocol: 'BR-2026-001',
      name: 'Grupo 3',
      completed: 0,
    },
    {
      email: 'ana@example.org',
      protocol: 'BR-2026-002',
      name: 'Grupo 4',
      completed: 3,
    },
    {
      email: 'bento@example.org',
      protocol: 'BR-2026-001',
      name: 'Grupo 5',
      completed: 1,
    },
    { email: 'clara@example.org', name: null },
  ])
})
