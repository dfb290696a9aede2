import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { administratorToken, callJson, PASSWORD, tokenOf } from '../helper.ts'
import {
  apply,
  beforeFirstWrite,
  contents,
  findUser,
  serveCommands,
  writes,
} from './helper.ts'

const FIRST = 'BR-2026-001'
const SECOND = 'BR-2026-002'

beforeEach(serveCommands)
beforeEach(() => {
  writes.length = 0
})

describe('a document', () => {
  it('changes what differs of what is known, and leaves the rest', async () => {
    const before = await env.DB.prepare(
      "select id from categories where name = 'Cardeal'",
    ).first()
    await apply({
      categories: [{ name: 'cardeal', description: 'Outra.', active: false }],
      processes: [{ protocol: FIRST, name: 'Outro nome' }],
      informers: [
        {
          email: 'CLARA@example.org',
          first_name: 'Clara',
          phone: '1',
          category: 'Bispo Auxiliar',
          groups: [{ protocol: FIRST, group: 'Grupo 2' }],
        },
      ],
    })
    expect(writes).toEqual([
      `PATCH /v1/categories/${before?.id}`,
      expect.stringMatching(/^PATCH \/v1\/processes\//),
      expect.stringMatching(/^PATCH \/v1\/informers\//),
      expect.stringMatching(/^PUT \/v1\/informers\/.+\/groups\//),
    ])
    const category = await env.DB.prepare('select * from categories where id = ?')
      .bind(before?.id)
      .first()
    expect(category).toMatchObject({ name: 'cardeal', description: 'Outra.', active: 0 })
    expect(await findUser('clara@example.org')).toMatchObject({
      last_name: 'Nunes',
      phone: '1',
    })
    const { body } = await callJson('/cover', {
      token: await tokenOf('clara@example.org'),
    })
    expect(body.data.process.name).toBe('Outro nome')
  })

  it('renames or deactivates an item of a list without repeating the rest', async () => {
    const document = {
      categories: [
        { name: 'Bispo Resignatário', previous_name: 'Bispo Emérito' },
        { name: 'Bispo Prelado', active: false },
      ],
    }
    expect((await apply(document)).counts).toMatchObject({
      categories: { changed: 2, added: 0 },
    })
    expect((await apply(document)).counts).toMatchObject({
      categories: { changed: 0, unchanged: 2 },
    })
    const { results } = await env.DB.prepare(
      "select name, description, active from categories where name in ('Bispo Resignatário', 'Bispo Emérito', 'Bispo Prelado') order by name",
    ).all()
    expect(results).toEqual([
      {
        name: 'Bispo Prelado',
        description: expect.stringContaining('prelazia'),
        active: 0,
      },
      {
        name: 'Bispo Resignatário',
        description: expect.stringContaining('renúncia'),
        active: 1,
      },
    ])
  })

  it('reports what was added, changed, removed and unchanged, like a dry run, which sends nothing', async () => {
    const groups = [
      { protocol: FIRST, group: 'Grupo 1', completed: ['Situação da diocese'] },
      { protocol: 'P', group: 'Novo', completed: ['Um'] },
    ]
    const novo = {
      name: 'Novo',
      color: '#000000',
      description: 'Novo.',
      questionnaires: ['Um', 'Outro'],
    }
    const document = {
      categories: [
        { name: 'Bispo Diocesano', description: 'Outra.' },
        { name: 'Nova', description: 'Nova.' },
      ],
      dioceses: [
        { name: 'Diocese Nova', state: 'SP' },
        { name: 'Diocese Nova', state: 'RJ' },
      ],
      processes: [
        { protocol: 'P', name: 'Um processo', groups: [novo] },
        {
          protocol: SECOND,
          name: 'Outro',
          groups: [novo, { ...novo, name: 'Grupo 1', questionnaires: ['Um'] }],
        },
      ],
      administrators: [
        { email: 'admin@example.org', first_name: 'Administração' },
        { email: 'dora@example.org', first_name: 'Dora', password: PASSWORD },
      ],
      informers: [
        {
          email: 'dario@example.org',
          first_name: 'Dario',
          password: PASSWORD,
          category: 'Nova',
          diocese: 'Diocese Nova (RJ)',
          groups,
        },
        {
          email: 'bento@example.org',
          first_name: 'Benedito',
          last_name: 'Ferreira',
          groups,
          groups_are_complete: true,
        },
      ],
      changelogs: [
        {
          version: 'v1.0.1',
          date: '2026-10-19',
          title: 'Outro',
          description: 'Texto.',
          category: 'Melhoria',
        },
        {
          version: 'v1.0.0',
          date: '2026-01-01',
          title: 'Cadastro de informantes',
          description: 'Outro.',
          category: 'Melhoria',
        },
      ],
    }
    const dryRun = await apply(document, { dryRun: true })
    expect(writes).toEqual([])

    const report = await apply(document)
    expect(report).toEqual(dryRun)
    const counts = (
      added: number,
      changed: number,
      removed: number,
      unchanged: number,
    ) => ({
      ...{ added, changed, removed, unchanged },
      repeated: 0,
    })
    expect(report).toEqual({
      refusals: [],
      counts: {
        categories: counts(1, 1, 0, 0),
        dioceses: counts(2, 0, 0, 0),
        processes: counts(1, 1, 0, 0),
        groups: counts(2, 1, 0, 0),
        questionnaires: counts(5, 0, 0, 0),
        users: counts(2, 1, 0, 1),
        informer_groups: counts(4, 0, 1, 0),
        informer_completions: counts(4, 0, 0, 0),
        changelogs: counts(1, 0, 0, 1),
      },
    })
    const { results } = await env.DB.prepare(
      "select state from users join dioceses on dioceses.id = diocese_id where email = 'dario@example.org'",
    ).all()
    expect(results).toEqual([{ state: 'RJ' }])
    const after = await contents()
    const again = Object.values((await apply(document)).counts)
    expect(
      again.every(({ added, changed, removed }) => added + changed + removed === 0),
    ).toBe(true)
    expect(await contents()).toEqual(after)
  })

  it('brings in what the service does not refuse, and names the rest by path', async () => {
    const token = await administratorToken()
    const taken = { name: 'Diocese Disputada', state: 'AC' }
    beforeFirstWrite(async () => {
      await callJson('/dioceses', { method: 'POST', token, body: taken })
    })
    const { refusals, counts } = await apply({
      categories: [{ name: 'Indisputada', description: 'x' }],
      dioceses: [taken, { name: 'Diocese Disputada', state: 'AM' }],
      informers: [
        { first_name: 'Rita', email: 'rita@example.org' },
        {
          first_name: 'Lia',
          email: 'lia@example.org',
          diocese: 'Diocese Disputada (AC)',
        },
      ],
    })
    expect(refusals).toEqual(['dioceses[0]: name: Este nome já está cadastrado.'])
    expect(counts).toMatchObject({
      categories: { added: 1 },
      dioceses: { added: 1 },
      users: { added: 2 },
    })
  })

  it('creates nobody again who was deleted within the week, except with recreate', async () => {
    const document = {
      informers: [{ first_name: 'Efraim', email: 'efraim@example.org' }],
    }
    await apply(document)
    const { id } = (await findUser('efraim@example.org')) ?? {}
    await callJson(`/informers/${id}`, {
      method: 'DELETE',
      token: await administratorToken(),
    })
    const refusals = ['informers[0]: O registro criado com esta chave foi excluído.']
    expect((await apply(document)).refusals).toEqual(refusals)
    expect((await apply(document, { recreate: true })).refusals).toEqual([])
    expect(await findUser('efraim@example.org')).not.toBeNull()
  })

  it('sets a password only where there is none', async () => {
    const person = { first_name: 'Iara', email: 'iara@example.org' }
    await apply({ informers: [person] })
    const hash = async () => (await findUser('iara@example.org'))?.password_hash
    expect(await hash()).toBeNull()
    await apply({ informers: [{ ...person, password: 'Senha2026' }] })
    const first = await hash()
    expect(first).toEqual(expect.any(String))
    expect(
      (await apply({ informers: [{ ...person, password: 'Outra2026' }] })).counts,
    ).toMatchObject({
      users: { unchanged: 1 },
    })
    expect(await hash()).toBe(first)
  })
})

describe('the groups of an informer', () => {
  const groupsOf = async (email: string) => {
    const { body } = await callJson('/cover', { token: await tokenOf(email) })
    return body.data?.processes_groups.map(
      ({ group }: { group: { name: string } }) => group.name,
    )
  }
  const inSecond = (...groups: string[]) =>
    groups.map((group) => ({ protocol: SECOND, group }))

  it('are associated in the order of the document', async () => {
    const groups = inSecond('Grupo 6', 'Grupo 1', 'Grupo 3')
    await apply({
      informers: [{ email: 'ordered@example.org', first_name: 'Olga', groups }],
    })
    expect(await groupsOf('ordered@example.org')).toEqual([
      'Grupo 6',
      'Grupo 1',
      'Grupo 3',
    ])
  })

  it('are ended with their completions if the document has groups_are_complete', async () => {
    const person = { email: 'moved@example.org', first_name: 'Marta' }
    const completed = ['Situação da diocese']
    const groups = inSecond('Grupo 1', 'Grupo 2').map((group) => ({
      ...group,
      completed,
    }))
    await apply({ informers: [{ ...person, groups }] })
    await apply({ informers: [{ ...person, groups: inSecond('Grupo 2') }] })
    expect(await groupsOf(person.email)).toEqual(['Grupo 1', 'Grupo 2'])

    const moved = {
      ...person,
      groups: inSecond('Grupo 2', 'Grupo 4'),
      groups_are_complete: true,
    }
    expect((await apply({ informers: [moved] })).counts).toMatchObject({
      informer_groups: { added: 1, removed: 1, unchanged: 1 },
    })
    expect(await groupsOf(person.email)).toEqual(['Grupo 2', 'Grupo 4'])
    await apply({ informers: [{ ...person, groups_are_complete: true }] })
    expect(await groupsOf(person.email)).toBeUndefined()
  })
})
