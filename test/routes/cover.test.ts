import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { callJson, newUser, tokenFor, tokenOf } from '../support/helper.ts'
import {
  associate as associateGroup,
  createProcess,
  GROUP,
} from '../support/processes.ts'
import { fold } from '#domain/folding.ts'

const SECRET = 'SOB SEGREDO PONTIFÍCIO'
const SIN = 'Sua violação é um pecado grave e punível sob a lei canônica.'

/** Associates an informer with a group, and completes a number of its questionnaires. */
async function associate(id: string, protocol: string, group: string, completed = 0) {
  await env.DB.batch([
    env.DB.prepare(
      `insert into informer_groups (informer_id, group_id, process_id, name_folded)
       select ?, groups.id, process_id, '' from groups
       join processes on processes.id = process_id where protocol = ? and groups.name = ?`,
    ).bind(id, protocol, group),
    env.DB.prepare(
      `insert into informer_completions (informer_id, questionnaire_id) select ?, questionnaires.id
       from questionnaires join groups on groups.id = group_id join processes on processes.id = process_id
       where protocol = ? and groups.name = ? limit ?`,
    ).bind(id, protocol, group, completed),
  ])
}

describe('GET /v1/cover/questionnaires', () => {
  type Listed = { title: string; group: { name: string }; completed_at: string | null }
  const list = async (token: string) => callJson('/cover/questionnaires', { token })

  it('lists every questionnaire in the order of the cover, then by title', async () => {
    const token = await tokenOf('ana@example.org')
    const { status, body } = await list(token)
    const cover = (await callJson('/cover', { token })).body.data
    const titles = body.data.map(({ title }: Listed) => title)
    const [first] = body.data
    expect(status).toBe(200)
    expect(first).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      title: titles[0],
      process: cover.process,
      group: cover.group,
      completed_at: null,
    })
    const ofGroups = Map.groupBy(body.data as Listed[], ({ group }) => group.name)
    expect([...ofGroups.keys()]).toEqual(['Grupo 3', 'Grupo 4'])
    for (const [name, listed] of ofGroups) {
      const folded = listed.map(({ title }) => fold(title))
      expect(folded.length).toBeGreaterThan(1)
      expect(folded).toEqual(folded.toSorted())
      const isCompleted = listed.map(({ completed_at }) => completed_at !== null)
      expect(new Set(isCompleted)).toEqual(new Set([name === 'Grupo 4']))
    }
  })

  it('is empty for an informer without a group', async () => {
    const { status, body } = await list(await tokenOf('clara@example.org'))
    expect([status, body]).toEqual([200, { success: true, data: [] }])
  })
})

describe('GET /v1/cover', () => {
  it('gives an informer the data of the home page', async () => {
    const { status, body } = await callJson('/cover', {
      token: await tokenOf('ana@example.org'),
    })
    const first = {
      process: { name: 'Provisão da Diocese de Vila Serena', protocol: 'BR-2026-001' },
      group: { name: 'Grupo 3' },
      cover_texts: { line_1: SECRET, line_2: null },
    }
    const second = {
      process: {
        name: 'Provisão da Arquidiocese de Porto Claro',
        protocol: 'BR-2026-002',
      },
      group: { name: 'Grupo 4' },
      cover_texts: { line_1: SECRET, line_2: SIN },
    }
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      informer: {
        first_name: 'Ana',
        last_name: 'da Silva Souza',
        full_name: 'Ana da Silva Souza',
        email: 'ana@example.org',
      },
      ...first,
      processes_groups: [
        { ...first, is_concluded: false, questionnaire_status: 'Pendente' },
        { ...second, is_concluded: true, questionnaire_status: 'Concluído' },
      ],
    })
    expect(body.data.processes_groups[0]).toMatchObject({
      process: body.data.process,
      group: body.data.group,
    })
  })

  it('has no email and no last name where the informer has none', async () => {
    const informer = await newUser('informer')
    await associate(informer.id, 'BR-2026-001', 'Grupo 1')
    const { body } = await callJson('/cover', { token: await tokenFor(informer) })
    expect(body.data.informer).toEqual({
      id: informer.id,
      first_name: 'Teste',
      last_name: null,
      full_name: 'Teste',
      email: null,
    })
  })

  it.each([
    ['Grupo 2', null, null],
    ['Grupo 3', SECRET, null],
    ['Grupo 5', SECRET, SIN],
    ['Grupo 6', SECRET, SIN],
    ['GRUPO 4', SECRET, SIN],
    ['Grupo 44', null, null],
  ])('has the lines of %s', async (name, line_1, line_2) => {
    const { groups } = await createProcess({ groups: [{ ...GROUP, name }] })
    const informer = await newUser('informer')
    await associateGroup(informer.id, groups[0].id)
    const { body } = await callJson('/cover', { token: await tokenFor(informer) })
    expect(body.data.cover_texts).toEqual({ line_1, line_2 })
  })

  it('has no lines for a group that COVER_TEXTS leaves out', async () => {
    const { body } = await callJson('/cover', {
      token: await tokenOf('ana@example.org'),
      env: { COVER_TEXTS: '{"Grupo 9":{"line_1":"x"}}' },
    })
    expect(body.data.cover_texts).toEqual({ line_1: null, line_2: null })
  })

  it('puts the oldest association first, whatever its group', async () => {
    const informer = await newUser('informer')
    for (const group of ['Grupo 6', 'Grupo 2', 'Grupo 4']) {
      await associate(informer.id, 'BR-2026-002', group)
    }
    await env.DB.prepare(
      "update informer_groups set created_at = '2020-01-01T00:00:00.000001Z' where id = (select max(id) from informer_groups)",
    ).run()
    const { body } = await callJson('/cover', { token: await tokenFor(informer) })
    const groups = body.data.processes_groups.map(
      (pair: { group: { name: string } }) => pair.group.name,
    )
    expect(groups).toEqual(['Grupo 4', 'Grupo 6', 'Grupo 2'])
    expect(body.data.group.name).toBe('Grupo 4')
  })

  it('counts only the questionnaires of the informer and of the group', async () => {
    const [one, other] = [await newUser('informer'), await newUser('informer')]
    await associate(one.id, 'BR-2026-001', 'Grupo 1')
    await associate(other.id, 'BR-2026-001', 'Grupo 1', 2)
    await associate(one.id, 'BR-2026-001', 'Grupo 2', 1)
    await associate(one.id, 'BR-2026-002', 'Grupo 1', 2)
    const { body } = await callJson('/cover', { token: await tokenFor(one) })
    const statuses = body.data.processes_groups.map(
      (pair: { questionnaire_status: string }) => pair.questionnaire_status,
    )
    expect(statuses).toEqual(['Pendente', 'Em andamento', 'Concluído'])
  })

  it('responds 404 to an informer without a group', async () => {
    const { status, body } = await callJson('/cover', {
      token: await tokenOf('clara@example.org'),
    })
    expect([status, body]).toEqual([
      404,
      { success: false, message: 'Grupo ou processo não encontrado.' },
    ])
  })
})
