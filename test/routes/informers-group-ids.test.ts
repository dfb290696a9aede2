import { describe, expect, it } from 'vitest'
import { administratorToken, callJson, counting, UNKNOWN_ID } from '../support/helper.ts'
import { auditedActions } from '../support/users.ts'

/** The ids of the groups of a process, by name. */
async function groupIdsOf(protocol: string): Promise<string[]> {
  const { body } = await callJson(`/processes?search=${protocol}`, {
    token: await administratorToken(),
  })
  return body.data[0].groups.map(({ id }: { id: string }) => id)
}

const post = async (body: object, options = {}) =>
  callJson('/informers', { token: await administratorToken(), body, ...options })

/** The groups of an informer, in the order of the cover. */
async function pairsOf(id: string): Promise<string[]> {
  const { body } = await callJson(`/informers/${id}`, {
    token: await administratorToken(),
  })
  return body.data.processes_groups.map(
    (pair: { group: { id: string } }) => pair.group.id,
  )
}

describe('POST /v1/informers with group_ids', () => {
  it('associates with all, after group_id and in their order, and counts repetitions once', async () => {
    const [one = '', two = '', three = ''] = await groupIdsOf('BR-2026-001')
    const { status, body } = await post({
      first_name: 'Rita',
      group_id: three,
      group_ids: [two.toUpperCase(), one, three, ` ${two} `],
    })
    expect(status).toBe(201)
    expect(body.data.group.id).toBe(three)
    expect(await pairsOf(body.data.id)).toEqual([three, two, one])
    expect(await auditedActions(body.data.id)).toEqual([
      'informer.created',
      'group.associated',
      'group.associated',
      'group.associated',
    ])
  })

  it('takes groups of several processes, and costs no round trip more', async () => {
    const [one = ''] = await groupIdsOf('BR-2026-001')
    const [other = ''] = await groupIdsOf('BR-2026-002')
    const { binding, count } = counting()
    const { body } = await post(
      { first_name: 'Rita', group_ids: [other, one] },
      { env: { DB: binding } },
    )
    expect(await pairsOf(body.data.id)).toEqual([other, one])
    expect(count.roundTrips).toBe(3)
  })

  it('associates with 100 groups, of which only some exist, not at all', async () => {
    const groups = Array.from({ length: 99 }, () => crypto.randomUUID())
    const [one = ''] = await groupIdsOf('BR-2026-001')
    const { status, body } = await post({
      first_name: 'Rita',
      group_ids: [one, ...groups],
    })
    expect(status).toBe(422)
    expect(body.errors).toEqual({ group_ids: ['Um dos grupos selecionados é inválido.'] })
  })

  it.each([
    ['a text', UNKNOWN_ID, 'O campo grupos deve ser uma lista.'],
    ['an object', { 0: UNKNOWN_ID }, 'O campo grupos deve ser uma lista.'],
    ['no UUID', ['grupo-1'], 'Um dos grupos selecionados é inválido.'],
    ['a number', [1], 'Um dos grupos selecionados é inválido.'],
    ['null in it', [null], 'Um dos grupos selecionados é inválido.'],
    ['an unknown group', [UNKNOWN_ID], 'Um dos grupos selecionados é inválido.'],
    ['101 groups', Array(101).fill(UNKNOWN_ID), 'Informe no máximo 100 grupos.'],
    ['101 of no form', Array(101).fill(''), 'Informe no máximo 100 grupos.'],
  ])('rejects %s', async (_, group_ids, message) => {
    const { status, body } = await post({ cpf: '1', group_ids })
    expect(status).toBe(422)
    expect(body.errors).toEqual({
      first_name: ['O campo nome é obrigatório.'],
      cpf: ['O CPF deve conter exatamente 11 dígitos numéricos.'],
      group_ids: [message],
    })
  })

  it.each([
    ['null', null],
    ['an empty list', []],
  ])('takes %s as none', async (_, group_ids) => {
    const { status, body } = await post({ first_name: 'Rita', group_ids })
    expect(status).toBe(201)
    expect(await pairsOf(body.data.id)).toEqual([])
  })
})
