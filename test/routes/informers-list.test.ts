import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runs } from '../support/depth.ts'
import { administratorToken, callJson, newUser, tokenOf } from '../support/helper.ts'
import { create } from '../support/informers.ts'
import { fold } from '#domain/folding.ts'

const get = async (query: Record<string, string>, options = {}) =>
  callJson(`/informers?${new URLSearchParams(query)}`, {
    token: await administratorToken(),
    ...options,
  })

const namesOf = async (query: Record<string, string>) => {
  const { status, body } = await get({ per_page: '100', ...query })
  expect(status).toBe(200)
  return body.data.map((informer: { full_name: string }) => informer.full_name)
}

const idOf = (sql: string) => env.DB.prepare(sql).first<string>('id')
const groupOf = (protocol: string, name: string) =>
  idOf(`select groups.id from groups join processes on processes.id = process_id
    where protocol = '${protocol}' and groups.name = '${name}'`)

/** Creates an informer who is deleted after the test. */
async function createForTest(fields: Record<string, unknown>) {
  const created = await create(fields)
  onTestFinished(async () => {
    await callJson(`/informers/${created.id}`, {
      method: 'DELETE',
      token: await administratorToken(),
    })
  })
  return created
}

describe('GET /v1/informers', () => {
  let group: string | null
  let process: string | null
  beforeAll(async () => {
    group = await groupOf('BR-2026-001', 'Grupo 3') // of Ana
    process = await idOf("select id from processes where protocol = 'BR-2026-002'")
    await create({
      first_name: 'Álvaro',
      last_name: 'Brandão',
      cpf: '52998224725',
      group_id: group,
    })
    await create({
      first_name: 'alvaro',
      last_name: 'azevedo',
      email: 'contato%25@example.org',
    })
    await create({ first_name: 'Zoé', last_name: 'd’Ávila_%', cpf: '39053344705' })
  })

  it('lists informers by name without case and accents, and no administrators', async () => {
    expect(await namesOf({})).toEqual([
      'alvaro azevedo',
      'Álvaro Brandão',
      'Ana da Silva Souza',
      'Bento Ferreira',
      'Clara Nunes',
      'Zoé d’Ávila_%',
    ])
  })

  it('lists equal names by id', async () => {
    const created = await Promise.all(
      [1, 2, 3].map(() => createForTest({ first_name: 'Eli' })),
    )
    const { body } = await get({ search: 'eli' })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(
      created.map(({ id }) => id).sort(),
    )
  })

  it.each([
    ['ALVARO', ['alvaro azevedo', 'Álvaro Brandão']],
    [' brandao ', ['Álvaro Brandão']],
    ['ro br', ['Álvaro Brandão']],
    ['o%a', []],
    ['_%', ['Zoé d’Ávila_%']],
    ['D´AVILA', ['Zoé d’Ávila_%']],
    ['souza  ana', ['Ana da Silva Souza']],
    ['azev contato', ['alvaro azevedo']],
    ['azevedo brandao', []],
    ['ana 52998224725', []],
    ['Contato%25@EXAMPLE', ['alvaro azevedo']],
    [
      '@example.org',
      ['alvaro azevedo', 'Ana da Silva Souza', 'Bento Ferreira', 'Clara Nunes'],
    ],
    ['52998224725', ['Álvaro Brandão']],
    ['529.982.247-25', ['Álvaro Brandão']],
    ['529982247-25', ['Álvaro Brandão']],
    ['5299822472', []],
    ["' or 1=1 --", []],
    ['v _ '.repeat(25), ['Zoé d’Ávila_%']],
    [
      '',
      [
        'alvaro azevedo',
        'Álvaro Brandão',
        'Ana da Silva Souza',
        'Bento Ferreira',
        'Clara Nunes',
        'Zoé d’Ávila_%',
      ],
    ],
  ])('finds by %j in name, email or a whole CPF', async (search, names) => {
    expect(await namesOf({ search })).toEqual(names)
  })

  it('filters by process and group, and combines the filters with a search', async () => {
    const ofBento = await groupOf('BR-2026-001', 'Grupo 5')
    const first = await idOf("select id from processes where protocol = 'BR-2026-001'")
    expect(await namesOf({ group_id: group ?? '' })).toEqual([
      'Álvaro Brandão',
      'Ana da Silva Souza',
    ])
    expect(await namesOf({ group_id: group?.toUpperCase() ?? '' })).toHaveLength(2)
    expect(await namesOf({ process_id: process ?? '' })).toEqual(['Ana da Silva Souza'])
    expect(await namesOf({ process_id: first ?? '' })).toEqual([
      'Álvaro Brandão',
      'Ana da Silva Souza',
      'Bento Ferreira',
    ])
    expect(
      await namesOf({ process_id: first ?? '', group_id: group ?? '' }),
    ).toHaveLength(2)
    // of one and the same pair, though Ana is in both
    expect(await namesOf({ process_id: process ?? '', group_id: group ?? '' })).toEqual(
      [],
    )
    expect(await namesOf({ process_id: process ?? '', group_id: ofBento ?? '' })).toEqual(
      [],
    )
    expect(await namesOf({ group_id: group ?? '', search: 'ana' })).toEqual([
      'Ana da Silva Souza',
    ])
    expect(await namesOf({ group_id: crypto.randomUUID() })).toEqual([])
    expect(await namesOf({ process_id: crypto.randomUUID() })).toEqual([])
  })

  it('filters by the status of any pair that the other filters leave', async () => {
    const first =
      (await idOf("select id from processes where protocol = 'BR-2026-001'")) ?? ''
    const ofBento = (await groupOf('BR-2026-001', 'Grupo 5')) ?? ''
    const named = (status: string, filters = {}) =>
      namesOf({ questionnaire_status: status, ...filters })
    expect(await named('Pendente')).toEqual(['Álvaro Brandão', 'Ana da Silva Souza'])
    expect(await named('Em andamento')).toEqual(['Bento Ferreira'])
    expect(await named('Concluído')).toEqual(['Ana da Silva Souza'])
    expect(await named('Concluído', { process_id: first })).toEqual([])
    expect(await named('Concluído', { process_id: process ?? '' })).toEqual([
      'Ana da Silva Souza',
    ])
    expect(await named('Em andamento', { group_id: ofBento, process_id: first })).toEqual(
      ['Bento Ferreira'],
    )
    expect(await named('Pendente', { search: 'ana' })).toEqual(['Ana da Silva Souza'])
    expect(
      await named('Pendente', { group_id: group ?? '', process_id: process ?? '' }),
    ).toEqual([])
    const { status, body } = await get({ questionnaire_status: 'pendente' })
    expect([status, body.errors.questionnaire_status]).toEqual([
      422,
      [
        'O parâmetro questionnaire_status deve ser um destes: Pendente, Em andamento, Concluído.',
      ],
    ])
  })

  it('pages', async () => {
    const { body } = await get({ page: '2', per_page: '4' })
    expect(body.data.map(({ full_name }: { full_name: string }) => full_name)).toEqual([
      'Clara Nunes',
      'Zoé d’Ávila_%',
    ])
    expect(body.pagination).toMatchObject({
      current_page: 2,
      per_page: 4,
      total: 6,
      last_page: 2,
      from: 5,
      to: 6,
    })
    const { status, body: past } = await get({ page: '9007199254740991' })
    expect([status, past.data, past.pagination.total]).toEqual([200, [], 6])
  })

  it('rejects bad parameters, all in one 422', async () => {
    const { status, body } = await get({
      search: 'x'.repeat(101),
      process_id: 'x',
      group_id: '',
      page: '0',
      per_page: '101',
    })
    const fields = ['group_id', 'page', 'per_page', 'process_id', 'search']
    expect([status, Object.keys(body.errors).sort()]).toEqual([422, fields])
    const twice = await callJson(`/informers?group_id=${group}&group_id=${group}`, {
      token: await administratorToken(),
    })
    expect(Object.keys(twice.body.errors)).toEqual(['group_id'])
  })

  it('shows each informer like GET /v1/informers/{informer}: the 201 of creation with all pairs', async () => {
    const { processes_groups, ...created } = {
      processes_groups: [],
      ...(await createForTest({
        first_name: 'Rute',
        email: 'rute@example.org',
        category_id: 2,
        diocese_id: 3,
        treatment_pronoun_id: 1,
        group_id: group,
        phone: '1',
        img_url: 'https://example.org/rute.png',
      })),
    }
    const listed = (await get({ search: 'rute' })).body.data
    const { status, body } = await callJson(`/informers/${created.id.toUpperCase()}`, {
      token: await administratorToken(),
    })
    expect(status).toBe(200)
    const { process, group: shown } = created
    const { results: questionnaires } = await env.DB.prepare(
      'select id, title, null as completed_at from questionnaires where group_id = ? order by title',
    )
      .bind(group)
      .all()
    expect(questionnaires.length).toBeGreaterThan(1)
    const pair = {
      process,
      group: shown,
      is_concluded: false,
      questionnaire_status: 'Pendente',
      questionnaires,
    }
    expect(body).toEqual({
      success: true,
      data: {
        ...created,
        is_email_verified: false,
        has_password: false,
        processes_groups: [pair],
      },
    })
    expect(listed).toEqual([body.data])
  })

  it('shows all pairs in the order and with the status of the cover', async () => {
    const [ana] = (await get({ search: 'ana da silva' })).body.data
    const cover = await callJson('/cover', { token: await tokenOf('ana@example.org') })
    // oxlint-disable-next-line no-explicit-any -- the pairs of both responses
    const pairOf = ({ process, group, is_concluded, questionnaire_status }: any) => ({
      process,
      group: { id: group.id, name: group.name },
      is_concluded,
      questionnaire_status,
    })
    expect(ana.processes_groups.map(pairOf)).toEqual(
      cover.body.data.processes_groups.map(pairOf),
    )
    expect(ana.processes_groups).toHaveLength(2)
    expect([ana.process, ana.group]).toEqual([
      ana.processes_groups[0].process,
      ana.processes_groups[0].group,
    ])
  })

  it('agrees with a plain search over random names', { timeout: 60_000 }, async () => {
    const letter = fc.constantFrom(
      'a',
      'A',
      'á',
      'Ã',
      'ç',
      'C',
      'ø',
      'O',
      ' ',
      '-',
      '%',
      '_',
      'ß',
      'İ',
      'ñ',
    )
    const name = fc
      .string({ unit: letter, minLength: 1, maxLength: 4 })
      .map((text) => `x${text}x`)
    const people = fc.sample(fc.tuple(name, fc.option(name)), 60)
    await Promise.all(
      people.map(([first_name, last_name]) => create({ first_name, last_name })),
    )
    const { body } = await get({ per_page: '100' })
    const all = body.data as { id: string; full_name: string; email: string | null }[]
    expect(all.length).toBe(body.pagination.total)
    const sorted = all
      .map(({ id, full_name }) => [fold(full_name), id] as const)
      .toSorted(([one, id], [other, otherId]) =>
        one < other || (one === other && id < otherId) ? -1 : 1,
      )
    expect(all.map(({ id }) => id)).toEqual(sorted.map(([, id]) => id))
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: letter, maxLength: 3 }), async (search) => {
        const found = (await get({ per_page: '100', search })).body
        const words = fold(search).split(' ')
        const expected = all.filter(({ full_name, email }) =>
          words.every((word) =>
            [full_name, email ?? ''].some((text) => fold(text).includes(word)),
          ),
        )
        expect(found.data).toEqual(expected)
        expect(found.pagination.total).toBe(expected.length)
      }),
      { numRuns: runs(60) },
    )
  })
})

it('GET /v1/informers/{informer} is 404 for an administrator', async () => {
  const { id } = await newUser('administrator')
  expect(
    (await callJson(`/informers/${id}`, { token: await administratorToken() })).status,
  ).toBe(404)
})
