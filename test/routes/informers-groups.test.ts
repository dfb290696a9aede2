import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  administratorToken,
  callJson,
  counting,
  newUser,
  tokenFor,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { create } from '../support/informers.ts'
import { auditedActions } from '../support/users.ts'

type Groups = { id: string; name: string; questionnaires: { id: string }[] }[]

async function groupsOf(protocol: string): Promise<Groups> {
  const { body } = await callJson(`/processes?search=${protocol}`, {
    token: await administratorToken(),
  })
  return body.data[0].groups
}

const send = async (method: string, path: string, options = {}) =>
  callJson(path, { method, token: await administratorToken(), ...options })

/** The first group of the first process, its questionnaires, and an informer in it. */
async function setUp() {
  const [group, other] = (await groupsOf('BR-2026-001')).filter(
    ({ questionnaires }) => questionnaires.length > 1,
  )
  if (!group || !other) throw new Error('the demo has no such groups')
  const { id } = await create({ group_id: group.id })
  return {
    id: id as string,
    group,
    other,
    ofGroup: `/informers/${id}/groups/${group.id}`,
    ofOther: `/informers/${id}/groups/${other.id}`,
    completion: (questionnaireId: string | undefined) =>
      `/informers/${id}/questionnaires/${questionnaireId}`,
  }
}

const pairsOf = (body: { data: { processes_groups: { group: { id: string } }[] } }) =>
  body.data.processes_groups.map(({ group }) => group.id)

describe('PUT /v1/informers/{informer}/groups/{group}', () => {
  it('associates, after the groups there are, and responds with the informer', async () => {
    const { id, group, other, ofOther } = await setUp()
    const { status, body } = await send('PUT', ofOther)
    expect(status).toBe(200)
    expect(pairsOf(body)).toEqual([group.id, other.id])
    expect(body.data.group.id).toBe(group.id)
    expect((await send('GET', `/informers/${id}`)).body).toEqual(body)
    const cover = await callJson('/cover', {
      token: await tokenFor({ id, role: 'informer' }),
    })
    expect(pairsOf(cover.body)).toEqual(pairsOf(body))
  })

  it('may be repeated, in either case of the ids, and keeps order and records', async () => {
    const { id, group, other, ofOther } = await setUp()
    await send('PUT', ofOther)
    const again = await send(
      'PUT',
      `/informers/${id.toUpperCase()}/groups/${group.id.toUpperCase()}`,
    )
    expect([again.status, pairsOf(again.body)]).toEqual([200, [group.id, other.id]])
    expect(await auditedActions(id)).toEqual([
      'informer.created',
      'group.associated',
      'group.associated',
    ])
  })

  it('at once associates once', async () => {
    const { id, group, other, ofOther } = await setUp()
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => send('PUT', ofOther)),
    )
    for (const { status, body } of responses) {
      expect([status, pairsOf(body)]).toEqual([200, [group.id, other.id]])
    }
    expect(await auditedActions(id)).toEqual([
      'informer.created',
      'group.associated',
      'group.associated',
    ])
  })
})

describe('DELETE /v1/informers/{informer}/groups/{group}', () => {
  it('deletes an association and only its completions', async () => {
    const { id, group, other, ofGroup, ofOther, completion } = await setUp()
    await send('PUT', ofOther)
    await send('PUT', completion(group.questionnaires[0]?.id))
    await send('PUT', completion(other.questionnaires[0]?.id))
    const { status, body } = await send('DELETE', ofGroup)
    expect([status, pairsOf(body)]).toEqual([200, [other.id]])
    expect(body.data.processes_groups[0].questionnaire_status).toBe('Em andamento')
    expect(body.data.group.id).toBe(other.id)
    const back = await send('PUT', ofGroup)
    expect(pairsOf(back.body)).toEqual([other.id, group.id])
    expect(back.body.data.processes_groups[1].questionnaire_status).toBe('Pendente')
    const { results } = await env.DB.prepare(
      'select * from informer_completions where informer_id = ?',
    )
      .bind(id)
      .all()
    expect(results).toHaveLength(1)
  })

  it('responds 200 for a group of others, and records nothing', async () => {
    const { id, group, ofOther } = await setUp()
    const { status, body } = await send('DELETE', ofOther)
    expect([status, pairsOf(body)]).toEqual([200, [group.id]])
    expect(await auditedActions(id)).toEqual(['informer.created', 'group.associated'])
  })
})

describe('PUT and DELETE /v1/informers/{informer}/questionnaires/{questionnaire}', () => {
  it('add and remove a completion, and conclude with the last', async () => {
    const { id, group, completion } = await setUp()
    const statusOf = async (method: string, questionnaireId: string | undefined) => {
      const { status, body } = await send(method, completion(questionnaireId))
      expect(status).toBe(200)
      const [{ is_concluded, questionnaire_status }] = body.data.processes_groups
      return [is_concluded, questionnaire_status]
    }
    const [first, ...others] = group.questionnaires
    expect(await statusOf('PUT', first?.id.toUpperCase())).toEqual([
      false,
      'Em andamento',
    ])
    expect(await statusOf('PUT', first?.id)).toEqual([false, 'Em andamento'])
    for (const [index, { id }] of others.entries()) {
      expect((await statusOf('PUT', id))[0]).toBe(index === others.length - 1)
    }
    const cover = await callJson('/cover', {
      token: await tokenFor({ id, role: 'informer' }),
    })
    expect(cover.body.data.processes_groups[0]).toMatchObject({
      is_concluded: true,
      questionnaire_status: 'Concluído',
    })
    expect(await statusOf('DELETE', first?.id)).toEqual([false, 'Em andamento'])
    expect(await statusOf('DELETE', first?.id)).toEqual([false, 'Em andamento'])
    for (const { id } of others) await statusOf('DELETE', id)
    expect(await statusOf('DELETE', first?.id)).toEqual([false, 'Pendente'])
    const changes = group.questionnaires.map(() => 'questionnaire.completed')
    expect(await auditedActions(id)).toEqual([
      'informer.created',
      'group.associated',
      ...changes,
      ...changes.map(() => 'questionnaire.reopened'),
    ])
  })

  it.each(['PUT', 'DELETE'])(
    '%s is 404 for a questionnaire of another group',
    async (method) => {
      const { id, other, completion } = await setUp()
      const { status, body } = await send(method, completion(other.questionnaires[0]?.id))
      expect([status, body]).toEqual([
        404,
        { success: false, message: 'Questionário não encontrado.' },
      ])
      const { results } = await env.DB.prepare(
        'select * from informer_completions where informer_id = ?',
      )
        .bind(id)
        .all()
      expect(results).toEqual([])
    },
  )
})

const messages = {
  groups: 'Grupo não encontrado.',
  questionnaires: 'Questionário não encontrado.',
  informers: 'Informante não encontrado.',
}

describe.each(['PUT', 'DELETE'])('%s', (method) => {
  describe.each(['groups', 'questionnaires'] as const)(
    '/v1/informers/{informer}/%s/{…}',
    (kind) => {
      const known = async () => {
        const { group } = await setUp()
        return kind === 'groups' ? group.id : group.questionnaires[0]?.id
      }

      it.each(['x', UNKNOWN_ID, '%00'])(`is 404 for %s of ${kind}`, async (unknown) => {
        const { id } = await setUp()
        const { status, body } = await send(method, `/informers/${id}/${kind}/${unknown}`)
        expect([status, body]).toEqual([404, { success: false, message: messages[kind] }])
      })

      it.each(['x', UNKNOWN_ID])('is 404 for %s of informers', async (unknown) => {
        const { status, body } = await send(
          method,
          `/informers/${unknown}/${kind}/${await known()}`,
        )
        expect([status, body]).toEqual([
          404,
          { success: false, message: messages.informers },
        ])
      })

      it('responds 404 for an administrator, and writes nothing', async () => {
        const { id } = await newUser('administrator')
        expect(
          (await send(method, `/informers/${id}/${kind}/${await known()}`)).status,
        ).toBe(404)
        expect(await auditedActions(id)).toEqual([])
        for (const table of ['informer_groups', 'informer_completions']) {
          const rows = await env.DB.prepare(
            `select * from ${table} where informer_id = ?`,
          )
            .bind(id)
            .all()
          expect(rows.results).toEqual([])
        }
      })

      it('needs two round trips, and reads no more rows where there are many informers', async () => {
        const { id, group } = await setUp()
        const path = `/informers/${id}/${kind}/${kind === 'groups' ? group.id : group.questionnaires[0]?.id}`
        const { binding, count } = counting()
        expect((await send(method, path, { env: { DB: binding } })).status).toBe(200)
        expect(count.roundTrips).toBe(2)
        expect(count.rowsRead).toBeLessThan(60)
      })
    },
  )
})
