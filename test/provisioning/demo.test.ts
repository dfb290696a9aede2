import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { demoDocument } from '../../scripts/commands/provisioning/demo.ts'
import { apply, contents, serveCommands } from './helper.ts'

beforeEach(serveCommands)

it('the demo data are the same whether tests insert them or a document brings them', async () => {
  const before = await contents()
  expect(before.audit_events).toEqual([])
  const { counts, differences, refusals } = await apply(demoDocument())
  const created = Object.values(counts).filter(({ added }) => added > 0)
  expect([created, differences, refusals]).toEqual([[], [], []])
  const audit_events = [expect.objectContaining({ action: 'informer.listed' })]
  expect(await contents()).toEqual({ ...before, audit_events })
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
  const { results } = await env.DB.prepare(
    'select email, protocol, groups.name as name from users join informer_groups on informer_id = users.id join groups on groups.id = group_id join processes on processes.id = groups.process_id order by informer_groups.id',
  ).all()
  expect(results).toEqual([
    { email: 'ana@example.org', protocol: 'BR-2026-001', name: 'Grupo 3' },
    { email: 'ana@example.org', protocol: 'BR-2026-002', name: 'Grupo 4' },
    { email: 'bento@example.org', protocol: 'BR-2026-001', name: 'Grupo 5' },
  ])
})
