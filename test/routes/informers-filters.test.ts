import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { administratorToken, callJson, counting } from '../support/helper.ts'
import { create, patch } from '../support/informers.ts'
import {
  associate,
  complete,
  createProcess,
  GROUP,
  insertLastProcess,
  send,
} from '../support/processes.ts'
import { newText } from '../support/resources.ts'

beforeAll(insertLastProcess)

const get = async (query: string, options = {}) =>
  callJson(`/informers?${query}`, { token: await administratorToken(), ...options })

/** The first names of those who are found. */
async function namesOf(query: string): Promise<string[]> {
  const { status, body } = await get(query)
  expect(status).toBe(200)
  expect(body.pagination.total).toBe(body.data.length)
  return body.data.map(({ first_name }: { first_name: string }) => first_name)
}

type Group = { id: string; questionnaires: [{ id: string }] }

/** A process with two groups of one questionnaire each. */
async function newProcess() {
  const groups = ['Grupo 1', 'Grupo 2'].map((name) => ({
    ...GROUP,
    name,
    questionnaires: ['Um'],
  }))
  const process = await createProcess({ groups })
  return process as { id: string; groups: [Group, Group] }
}

const newCategory = async () =>
  (await send('POST', '/categories', { name: newText(), description: 'Um.' })).body.data
    .id
const newDiocese = async () =>
  (await send('POST', '/dioceses', { name: newText(), state: 'SP' })).body.data.id
const newTreatmentPronoun = async () =>
  (await send('POST', '/treatment-pronouns', { name: newText(), description: 'Um.' }))
    .body.data.id

const REFERENCES = {
  category_id: newCategory,
  diocese_id: newDiocese,
  treatment_pronoun_id: newTreatmentPronoun,
}

describe('GET /v1/informers with filters of a pair', () => {
  it('finds nobody by a group and the id of another process', async () => {
    const [one, other] = [await newProcess(), await newProcess()]
    const inOne = one.groups[0].id
    const inOther = other.groups[1].id
    const { id } = await create({ first_name: 'Rute', group_id: inOne })
    await associate(id, inOther)

    expect(await namesOf(`process_id=${one.id}&group_id=${inOne}`)).toEqual(['Rute'])
    expect(await namesOf(`process_id=${other.id}&group_id=${inOther}`)).toEqual(['Rute'])
    expect(await namesOf(`process_id=${one.id}&group_id=${inOther}`)).toEqual([])
    expect(await namesOf(`process_id=${other.id}&group_id=${inOne}`)).toEqual([])
  })

  it('finds by a status that the very pair has', async () => {
    const { id: processId, groups } = await newProcess()
    const [first, second] = groups
    const { id } = await create({ first_name: 'Rute', group_id: first.id })
    await associate(id, second.id)
    await complete(id, second.questionnaires[0].id)

    const named = (status: string, filter: string) =>
      namesOf(`questionnaire_status=${status}&process_id=${processId}&${filter}`)
    expect(await named('Concluído', `group_id=${second.id}`)).toEqual(['Rute'])
    expect(await named('Concluído', `group_id=${first.id}`)).toEqual([])
    expect(await named('Pendente', `group_id=${first.id}`)).toEqual(['Rute'])
    expect(await named('Pendente', '')).toEqual(['Rute'])
    expect(await named('Em+andamento', '')).toEqual([])
  })

  it('finds somebody with two groups of a process once', async () => {
    const { id: processId, groups } = await newProcess()
    const { id } = await create({ first_name: 'Rute', group_id: groups[0].id })
    await associate(id, groups[1].id)
    expect(await namesOf(`process_id=${processId}`)).toEqual(['Rute'])
    expect(await namesOf(`process_id=${processId}&has_process=true`)).toEqual(['Rute'])
  })
})

describe.each(Object.entries(REFERENCES))(
  'GET /v1/informers?%s',
  (name, newReference) => {
    it('finds who refers to a row of the list, by name', async () => {
      const [id, other] = [await newReference(), await newReference()]
      await create({ first_name: 'Zoé', [name]: id })
      await create({ first_name: 'Ágata', [name]: id })
      await create({ first_name: 'Bento', [name]: other })
      expect(await namesOf(`${name}=${id}`)).toEqual(['Ágata', 'Zoé'])
      expect(await namesOf(`${name}=00${other}`)).toEqual(['Bento'])
    })

    it('combines with a search, a pair and the lack of one', async () => {
      const id = await newReference()
      const process = await newProcess()
      await create({ first_name: 'Ágata', [name]: id, group_id: process.groups[0].id })
      await create({ first_name: 'Zoé', [name]: id })
      await create({ first_name: 'Bento', group_id: process.groups[0].id })
      expect(await namesOf(`${name}=${id}&search=zoe`)).toEqual(['Zoé'])
      expect(await namesOf(`${name}=${id}&process_id=${process.id}`)).toEqual(['Ágata'])
      expect(await namesOf(`${name}=${id}&has_process=false`)).toEqual(['Zoé'])
    })

    it.each(['9007199254740993', '9'.repeat(30), '2147483647'])(
      'finds nobody by %s, which no row has',
      async (id) => {
        expect(await namesOf(`${name}=${id}`)).toEqual([])
      },
    )

    it.each(['', '0', '-1', '1.5', '1e3', '+1', '%201', 'x'])(
      'rejects %j',
      async (value) => {
        const { status, body } = await get(`${name}=${value}`)
        expect([status, body.errors]).toEqual([
          422,
          { [name]: [`O parâmetro ${name} deve ser um número inteiro positivo.`] },
        ])
      },
    )
  },
)

it('GET /v1/informers leads to everybody of a spelling, so that its row can be deleted', async () => {
  const [right, wrong] = [await newDiocese(), await newDiocese()]
  for (const first_name of ['Ana', 'Eva']) await create({ first_name, diocese_id: wrong })
  expect((await send('DELETE', `/dioceses/${wrong}`)).status).toBe(409)

  for (const { id } of (await get(`diocese_id=${wrong}`)).body.data) {
    expect((await patch(id, { diocese_id: right })).status).toBe(200)
  }

  expect(await namesOf(`diocese_id=${right}`)).toEqual(['Ana', 'Eva'])
  expect((await send('DELETE', `/dioceses/${wrong}`)).status).toBe(200)
})

describe('GET /v1/informers?has_process', () => {
  it('tells who is in a process from who is in none any more', async () => {
    const { id: processId, groups } = await newProcess()
    const name = `Has${crypto.randomUUID().slice(0, 8)}`
    const member = await create({ first_name: `${name} A`, group_id: groups[0].id })
    await create({ first_name: `${name} B` })
    const named = (query: string) => namesOf(`search=${name}&${query}`)

    expect(await named('has_process=true')).toEqual([`${name} A`])
    expect(await named('has_process=false')).toEqual([`${name} B`])

    await associate(member.id, groups[1].id)
    await send('DELETE', `/processes/${processId}/informers`)
    expect(await named('has_process=true')).toEqual([])
    expect(await named('has_process=false')).toEqual([`${name} A`, `${name} B`])
  })

  it('false beside a filter of pairs finds nobody', async () => {
    const { id, groups } = await newProcess()
    await create({ group_id: groups[0].id })
    for (const filter of [
      `process_id=${id}`,
      `group_id=${groups[0].id}`,
      'questionnaire_status=Pendente',
    ]) {
      expect((await get(filter)).body.pagination.total).toBeGreaterThan(0)
      expect(await namesOf(`${filter}&has_process=false`)).toEqual([])
    }
  })

  it.each(['', '1', '0', 'TRUE', 'sim'])('rejects %j', async (value) => {
    const { status, body } = await get(`has_process=${value}`)
    expect([status, body.errors]).toEqual([
      422,
      { has_process: ['O parâmetro has_process deve ser true ou false.'] },
    ])
  })
})

describe('GET /v1/informers?is_concluded', () => {
  it('tells who has completed all of the very pair from who has not', async () => {
    const { id: processId, groups } = await newProcess()
    const [first, second] = groups
    const { id } = await create({ first_name: 'Rute', group_id: first.id })
    await associate(id, second.id)
    await complete(id, second.questionnaires[0].id)
    await create({ first_name: 'Noemi', group_id: first.id })

    const named = (isConcluded: boolean, filter: string) =>
      namesOf(`is_concluded=${isConcluded}&process_id=${processId}&${filter}`)
    expect(await named(true, '')).toEqual(['Rute'])
    expect(await named(false, '')).toEqual(['Noemi', 'Rute'])
    expect(await named(true, `group_id=${first.id}`)).toEqual([])
    expect(await named(false, `group_id=${second.id}`)).toEqual([])
    expect(await named(true, 'questionnaire_status=Pendente')).toEqual([])
    expect(await named(false, 'questionnaire_status=Pendente')).toEqual(['Noemi', 'Rute'])
  })

  it('calls a pair concluded as its informer does, without any other filter', async () => {
    const { groups } = await createProcess({
      groups: [
        { ...GROUP, name: 'Vazio' },
        { ...GROUP, questionnaires: ['Um', 'Dois'] },
      ],
    })
    const [empty, full] = groups[0].name === 'Vazio' ? groups : groups.toReversed()
    const name = `Is${crypto.randomUUID().slice(0, 8)}`
    await create({ first_name: `${name} nenhum` })
    await create({ first_name: `${name} vazio`, group_id: empty.id })
    for (const [of, completed] of ['zero', 'um', 'dois'].entries()) {
      const { id } = await create({
        first_name: `${name} ${completed}`,
        group_id: full.id,
      })
      for (const questionnaire of full.questionnaires.slice(0, of)) {
        await complete(id, questionnaire.id)
      }
    }
    const shown = (await get(`search=${name}`)).body.data
    type Shown = { first_name: string; processes_groups: { is_concluded: boolean }[] }
    const namesWhere = (isConcluded: boolean) =>
      (shown as Shown[])
        .filter(({ processes_groups }) =>
          processes_groups.some((pair) => pair.is_concluded === isConcluded),
        )
        .map(({ first_name }) => first_name)
    expect(shown).toHaveLength(5)
    expect(namesWhere(true)).toEqual([`${name} dois`])
    expect(await namesOf(`search=${name}&is_concluded=true`)).toEqual(namesWhere(true))
    expect(await namesOf(`search=${name}&is_concluded=false`)).toEqual(namesWhere(false))
    expect(await namesOf(`search=${name}&is_concluded=false&has_process=false`)).toEqual(
      [],
    )
  })
})

describe('GET /v1/informers?is_email_verified', () => {
  it('finds as the member of the informer says, beside other filters', async () => {
    const { id: processId, groups } = await newProcess()
    const email = () => `${crypto.randomUUID()}@example.org`
    const member = { group_id: groups[0].id }
    const { id } = await create({ first_name: 'Ana', email: email(), ...member })
    await patch(id, { is_email_verified: true })
    await create({ first_name: 'Bento', email: email(), ...member })
    await create({ first_name: 'Clara', ...member })

    const named = (query: string) => namesOf(`process_id=${processId}&${query}`)
    expect(await named('is_email_verified=true')).toEqual(['Ana'])
    expect(await named('is_email_verified=false')).toEqual(['Bento', 'Clara'])
    expect(await named('is_email_verified=false&search=@example')).toEqual(['Bento'])
    expect(await named('is_email_verified=false&is_concluded=true')).toEqual([])
  })
})

it.each(
  ['is_concluded', 'is_email_verified'].flatMap((name) =>
    ['', '1', '0', 'TRUE', 'sim'].map((value) => [name, value]),
  ),
)('GET /v1/informers?%s rejects %j', async (name, value) => {
  const { status, body } = await get(`${name}=${value}`)
  expect([status, body.errors]).toEqual([
    422,
    { [name]: [`O parâmetro ${name} deve ser true ou false.`] },
  ])
})

describe.each([100, 1000])('GET /v1/informers among %i others', (size) => {
  const MEMBERS = 5
  const ids = { category_id: 0, diocese_id: 0, treatment_pronoun_id: 0 }
  /**
   * What a pass over all informers reads: an entry of each, and one of a pair where there is one.
   */
  let pass = 0

  beforeAll(async () => {
    for (const [name, newReference] of Object.entries(REFERENCES)) {
      Object.assign(ids, { [name]: await newReference() })
    }
    for (let number = 0; number < MEMBERS; number++) {
      await create({ first_name: 'Último', ...ids })
    }
    // others come first, by name and by id
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into users (id, role_id, first_name, name_folded, initials, category_id, diocese_id,
         treatment_pronoun_id)
       select printf('%08d-0000-4000-8000-000000000000', i), 1, 'Nome', '!' || i, 'N', 1, 1, 1
       from n where true on conflict do nothing`,
    )
      .bind(size)
      .run()
    const entries = await env.DB.prepare(
      `select (select count(*) from users where role_id = 1)
         + (select count(distinct informer_id) from informer_groups) as n`,
    ).first<number>('n')
    pass = entries ?? 0
  })

  /** The cost of a list, with the one round trip of the guard. */
  async function costOf(query: string) {
    const { binding, count } = counting()
    const { body } = await get(query, { env: { DB: binding } })
    return { ...count, total: body.pagination.total as number }
  }

  it.each(Object.keys(ids) as (keyof typeof ids)[])(
    '?%s reads who refers to a row by its index',
    async (name) => {
      const cost = await costOf(`${name}=${ids[name]}`)
      expect(cost).toMatchObject({ total: MEMBERS, roundTrips: 2, rowsRead: 54 })
    },
  )

  it('with two of them and a search reads no more', async () => {
    const { category_id, diocese_id } = ids
    const cost = await costOf(
      `category_id=${category_id}&diocese_id=${diocese_id}&search=ultimo`,
    )
    expect(cost).toMatchObject({ total: MEMBERS, roundTrips: 2, rowsRead: 54 })
  })

  it('?has_process=false passes all informers once, for the count', async () => {
    const { total, roundTrips, rowsRead } = await costOf('has_process=false')
    expect([roundTrips, rowsRead - pass]).toEqual([2, 113])
    expect(total).toBeGreaterThanOrEqual(size)
  })

  it('?is_email_verified=false passes all informers once, for the count', async () => {
    const informers = await env.DB.prepare(
      'select count(*) as n from users where role_id = 1',
    ).first<number>('n')
    const { total, roundTrips, rowsRead } = await costOf('is_email_verified=false')
    expect([roundTrips, rowsRead - (informers ?? 0)]).toEqual([2, 113])
    expect(total).toBeGreaterThanOrEqual(size)
  })

  it('?is_concluded=false with a group reads its pairs alone', async () => {
    const { groups } = await newProcess()
    for (const first_name of ['Ana', 'Bento']) {
      await create({ first_name, group_id: groups[0].id })
    }
    const cost = await costOf(`is_concluded=false&group_id=${groups[0].id}`)
    expect(cost).toMatchObject({ total: 2, roundTrips: 2, rowsRead: 32 })
  })
})
