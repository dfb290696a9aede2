import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { counting } from '../support/helper.ts'
import { create } from '../support/informers.ts'
import { createProcess, GROUP, insertLastProcess, send } from '../support/processes.ts'
import { newText } from '../support/resources.ts'

const SIZES = [100, 1_000, 10_000]
const MEMBERS = 50
/** Rows of a page of twelve, and one more that tells whether it is full. */
const PAGE = 13 * 12
/** Informers who refer to rows that nobody else refers to. */
const REFERRING = 5

const newGroup = async (questionnaires: string[]) => {
  const { id, groups } = await createProcess({
    groups: [{ ...GROUP, questionnaires }],
  })
  return { processId: id as string, groupId: groups[0].id as string }
}
const newRow = async (path: string, fields: object): Promise<number> =>
  (await send('POST', path, { name: newText(), ...fields })).body.data.id

/**
 * Adds informers up to a number. The first ones are in a group, and come after the others, who
 * refer to the same rows.
 */
async function grow(to: number, groupId: string) {
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${to})`
  const id = "printf('%08d-0000-4000-8000-000000000000', i)"
  const isOther = `i > ${MEMBERS}`
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} insert into users (id, role_id, first_name, name_folded, initials, email,
         category_id, diocese_id, treatment_pronoun_id)
       select ${id}, 1, 'Nome', iif(${isOther}, '!', '') || 'nome ' || i, 'N', i || '@example.net',
         iif(${isOther}, 1, null), iif(${isOther}, 1, null), iif(${isOther}, 1, null)
       from n where true on conflict do nothing`,
    ),
    env.DB.prepare(
      `${numbers} insert into informer_groups (informer_id, group_id, process_id, name_folded)
       select ${id}, groups.id, process_id, 'nome ' || i
       from n join groups on groups.id = ? where not ${isOther} on conflict do nothing`,
    ).bind(groupId),
  ])
}

/** The cost of a list, with the one round trip of the guard. */
async function costOf(query: string) {
  const { binding, count } = counting()
  const path = `/informers?${query}`
  const { status, body } = await send('GET', path, undefined, { env: { DB: binding } })
  expect([status, count.roundTrips]).toEqual([200, 2])
  return { rowsRead: count.rowsRead, total: body.pagination.total as number }
}

const countInformers = async () =>
  (await env.DB.prepare(
    'select count(*) as n from users where role_id = 1',
  ).first<number>('n')) ?? 0

const large = { groupId: '', processId: '' }
beforeAll(async () => {
  await insertLastProcess()
  Object.assign(large, await newGroup([]))
})

describe.each(SIZES)('GET /v1/informers among %i others', (size) => {
  const references = { category_id: 0, diocese_id: 0, treatment_pronoun_id: 0 }

  beforeAll(async () => {
    Object.assign(references, {
      category_id: await newRow('/categories', { description: 'Um.' }),
      diocese_id: await newRow('/dioceses', { state: 'SP' }),
      treatment_pronoun_id: await newRow('/treatment-pronouns', { description: 'Um.' }),
    })
    for (let number = 0; number < REFERRING; number++) {
      await create({ first_name: 'Último', ...references })
    }
    await grow(size, large.groupId)
  })

  it('reads a page in name order, and one index entry per other informer', async () => {
    const { rowsRead, total } = await costOf('')
    expect(total).toBeGreaterThanOrEqual(size)
    expect(rowsRead - total).toBeLessThanOrEqual(PAGE)
  })

  it.each([
    ['group_id={group}', 0],
    ['process_id={process}', 0],
    ['process_id={process}&questionnaire_status=Pendente', 0],
    ['group_id={group}&search=nome', 2 * MEMBERS], // which are looked at
  ])('?%s reads the page, and the members once for the count', async (query, more) => {
    const { rowsRead, total } = await costOf(
      query.replace('{group}', large.groupId).replace('{process}', large.processId),
    )
    expect(total).toBe(MEMBERS)
    expect(rowsRead).toBeLessThanOrEqual(MEMBERS + more + PAGE)
  })

  it('?is_concluded=false with a group reads its pairs alone', async () => {
    const { groupId } = await newGroup(['Um'])
    for (const first_name of ['Ana', 'Bento']) {
      await create({ first_name, group_id: groupId })
    }
    expect(await costOf(`is_concluded=false&group_id=${groupId}`)).toEqual({
      total: 2,
      rowsRead: 32,
    })
  })

  it('?search reads two index entries of each informer: for the page and the count', async () => {
    const { rowsRead, total } = await costOf('search=no+such+name')
    expect(total).toBe(0)
    expect(rowsRead - 2 * (await countInformers())).toBeLessThanOrEqual(20)
  })

  it.each([
    ['category_id'],
    ['diocese_id'],
    ['treatment_pronoun_id'],
    ['category_id', 'diocese_id'],
  ] as const)('?%s %s reads who refers to a row by its index', async (...names) => {
    const query = names.map((name) => `${name}=${references[name]}`).join('&')
    const expected = { total: REFERRING, rowsRead: 54 }
    expect(await costOf(query)).toEqual(expected)
    expect(await costOf(`${query}&search=ultimo`)).toEqual(expected)
  })

  it('?has_process=false passes all informers and their pairs once, for the count', async () => {
    const inGroups = await env.DB.prepare(
      'select count(distinct informer_id) as n from informer_groups',
    ).first<number>('n')
    const { rowsRead } = await costOf('has_process=false')
    expect(rowsRead - (await countInformers()) - (inGroups ?? 0)).toBe(113)
  })

  it('?is_email_verified=false passes all informers once, for the count', async () => {
    const { rowsRead } = await costOf('is_email_verified=false')
    expect(rowsRead - (await countInformers())).toBe(113)
  })
})
