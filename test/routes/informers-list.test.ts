import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../support/depth.ts'
import { administratorToken, callJson } from '../support/helper.ts'
import { create } from '../support/informers.ts'
import { fold } from '#domain/folding.ts'

const get = async (query: Record<string, string>) =>
  callJson(`/informers?${new URLSearchParams(query)}`, {
    token: await administratorToken(),
  })

const namesOf = async (query: Record<string, string>) => {
  const { status, body } = await get({ per_page: '100', ...query })
  expect(status).toBe(200)
  return body.data.map((informer: { full_name: string }) => informer.full_name)
}

const EVERYBODY = [
  'alvaro azevedo',
  'Álvaro Brandão',
  'Ana da Silva Souza',
  'Bento Ferreira',
  'Clara Nunes',
  'Zoé d’Ávila_%',
]

describe('GET /v1/informers', () => {
  beforeAll(async () => {
    await create({ first_name: 'Álvaro', last_name: 'Brandão', cpf: '52998224725' })
    await create({
      first_name: 'alvaro',
      last_name: 'azevedo',
      email: 'contato%25@example.org',
    })
    await create({ first_name: 'Zoé', last_name: 'd’Ávila_%', cpf: '39053344705' })
  })

  // the names themselves are searched at random below
  it.each([
    ['', EVERYBODY], // by name without case and accents, and no administrators
    [' brandao ', ['Álvaro Brandão']],
    ['ro br', ['Álvaro Brandão']],
    ['o%a', []],
    ['_%', ['Zoé d’Ávila_%']],
    ['D´AVILA', ['Zoé d’Ávila_%']],
    ['azev contato', ['alvaro azevedo']],
    ['ana 52998224725', []],
    ['Contato%25@EXAMPLE', ['alvaro azevedo']],
    ['52998224725', ['Álvaro Brandão']],
    ['529.982.247-25', ['Álvaro Brandão']],
    ['529982247-25', ['Álvaro Brandão']],
    ['5299822472', []],
    ["' or 1=1 --", []],
    ['v _ '.repeat(25), ['Zoé d’Ávila_%']],
  ])('finds by %j in name, email or a whole CPF', async (search, names) => {
    expect(await namesOf({ search })).toEqual(names)
  })

  it('pages', async () => {
    const { body } = await get({ page: '2', per_page: '4' })
    expect(body.data.map(({ full_name }: { full_name: string }) => full_name)).toEqual(
      EVERYBODY.slice(4),
    )
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

  it('shows each informer like GET /v1/informers/{informer}: the 201 of creation with all pairs', async () => {
    const groupId = await env.DB.prepare(
      "select group_id as id from questionnaires where title = 'Situação da diocese'",
    ).first<string>('id')
    const { processes_groups, ...created } = {
      processes_groups: [],
      ...(await create({
        first_name: 'Rute',
        email: 'rute@example.org',
        category_id: 2,
        diocese_id: 3,
        treatment_pronoun_id: 1,
        group_id: groupId,
        phone: '1',
        img_url: 'https://example.org/rute.png',
      })),
    }
    const listed = (await get({ search: 'rute' })).body.data
    const { status, body } = await callJson(`/informers/${created.id.toUpperCase()}`, {
      token: await administratorToken(),
    })
    expect(status).toBe(200)
    const { process, group } = created
    const { results: questionnaires } = await env.DB.prepare(
      'select id, title, null as completed_at from questionnaires where group_id = ? order by title',
    )
      .bind(groupId)
      .all()
    expect(questionnaires.length).toBeGreaterThan(1)
    const pair = {
      process,
      group,
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

  it('agrees with a plain search over random names', { timeout: 60_000 }, async () => {
    const letter = fc.constantFrom(...'aAáÃçCøO -%_ßİñ')
    const name = fc
      .string({ unit: letter, minLength: 1, maxLength: 4 })
      .map((text) => `x${text}x`)
    const people = fc.sample(fc.tuple(name, fc.option(name)), 57)
    const alike = ['xax', 'xAx', 'xáx'].map((one) => [one, null] as const)
    await Promise.all(
      [...people, ...alike].map(([first_name, last_name]) =>
        create({ first_name, last_name }),
      ),
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
