import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { demoDocument } from '../../scripts/lib/demo.ts'
import reference from '../../scripts/provisioning/reference.json' with { type: 'json' }
import { callJson, PASSWORD, tokenOf } from '../helper.ts'
import { apply, contents } from './helper.ts'

const FIRST = 'BR-2026-001'
const SECOND = 'BR-2026-002'

describe('the demo document', () => {
  it('contains the data of the contract', async () => {
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
      audit_events: 0,
    })
    const { results: groups } = await env.DB.prepare(
      'select protocol, groups.name from groups join processes on processes.id = process_id order by 1, 2',
    ).all()
    const names = ['Grupo 1', 'Grupo 2', 'Grupo 3', 'Grupo 4', 'Grupo 5', 'Grupo 6']
    expect(groups).toEqual([FIRST, SECOND].flatMap((protocol) => names.map((name) => ({ protocol, name }))))
    expect(rows.changelogs?.map(({ is_published }) => is_published)).toEqual([1, 1, 1, 1, 0])
  })

  it.each([
    [
      'ana',
      'Ana da Silva Souza',
      [
        [FIRST, 'Grupo 3', 'Pendente'],
        [SECOND, 'Grupo 4', 'Concluído'],
      ],
    ],
    ['bento', 'Bento Ferreira', [[FIRST, 'Grupo 5', 'Em andamento']]],
  ])('has the cover of %s', async (name, fullName, pairs) => {
    const login = await callJson('/auth/login', {
      body: { email: `${name}@example.org`, password: PASSWORD },
    })
    expect(login.body.data.user).toMatchObject({ full_name: fullName, role: { slug: 'informer' } })
    const { body } = await callJson('/cover', { token: login.body.data.access_token })
    expect(
      // oxlint-disable-next-line typescript/no-explicit-any -- the shape is the contract's
      body.data.processes_groups.map(({ process, group, questionnaire_status }: any) => [
        process.protocol,
        group.name,
        questionnaire_status,
      ]),
    ).toEqual(pairs)
  })

  it('has an administrator, and an informer without a group', async () => {
    for (const [email, slug] of [
      ['admin@example.org', 'administrator'],
      ['clara@example.org', 'informer'],
    ]) {
      const { body } = await callJson('/auth/login', { body: { email, password: PASSWORD } })
      expect(body.data.user.role.slug).toBe(slug)
    }
    expect((await callJson('/cover', { token: await tokenOf('clara@example.org') })).status).toBe(404)
  })

  it('changes nothing when it is applied again', async () => {
    const before = await contents()
    const report = await apply(demoDocument())
    expect(report).toMatchObject({
      categories: { added: 0, changed: 0, removed: 0, unchanged: 100 },
      users: { added: 0, changed: 0, removed: 0, unchanged: 4 },
      informer_completions: { added: 0, changed: 0, removed: 0, unchanged: 4 },
      changelogs: { added: 0, changed: 0, removed: 0, unchanged: 5 },
    })
    expect(await contents()).toEqual(before)
  })
})

it('the reference document contains only the three lists', () => {
  const counts = Object.entries(reference).map(([list, rows]) => [list, rows.length])
  expect(Object.fromEntries(counts)).toEqual({ categories: 100, treatment_pronouns: 50, dioceses: 281 })
})
