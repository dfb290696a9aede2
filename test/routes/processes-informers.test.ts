import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { type Call, interceptedDatabase, UNKNOWN_ID } from '../support/helper.ts'
import { read } from '../support/informers.ts'
import {
  associate,
  complete,
  createProcess,
  GROUP,
  newActor,
  newMember,
  send,
} from '../support/processes.ts'

const GROUPS = ['Grupo 1', 'Grupo 2'].map((name) => ({
  ...GROUP,
  name,
  questionnaires: ['Um'],
}))

const empty = (processId: string, options: Call = {}) =>
  send('DELETE', `/processes/${processId}/informers`, undefined, options)

/** A process with two groups: one informer in both, another in the second. */
async function newProcess() {
  const process = await createProcess({ groups: GROUPS })
  const [first, second] = process.groups
  const inBoth = await newMember(first.id)
  await associate(inBoth, second.id)
  const inOne = await newMember(second.id)
  return { ...process, first, second, inBoth, inOne } as {
    id: string
    first: Group
    second: Group
    inBoth: string
    inOne: string
  }
}

type Group = { id: string; questionnaires: { id: string }[] }

const completionsOf = (informerId: string) =>
  env.DB.prepare('select count(*) as n from informer_completions where informer_id = ?')
    .bind(informerId)
    .first<number>('n')

/** Longer ago than any test. */
const LONG_AGO = '2026-01-01T00:00:00.000000Z'

const setUpdatedLongAgo = (...ids: string[]) =>
  env.DB.batch(
    ids.map((id) =>
      env.DB.prepare('update users set updated_at = ? where id = ?').bind(LONG_AGO, id),
    ),
  )

describe('DELETE /v1/processes/{process}/informers', () => {
  it('ends every association, counts the pairs, and records each', async () => {
    const { id, inBoth, inOne } = await newProcess()
    const { token, records } = await newActor()

    const { status, body } = await empty(id.toUpperCase(), { token })

    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: { dissociated: 3 },
        message: 'Informantes retirados do processo.',
      },
    ])
    for (const informerId of [inBoth, inOne]) {
      expect((await read(informerId)).processes_groups).toEqual([])
    }
    const [ofProcess, ...ofPairs] = await records()
    expect(ofProcess).toEqual({
      action: 'process.emptied',
      subject_type: 'process',
      subject_id: id,
    })
    expect(ofPairs.map(({ action }) => action)).toEqual(
      Array(3).fill('group.dissociated'),
    )
    expect(ofPairs.map(({ subject_id }) => subject_id).toSorted()).toEqual(
      [inBoth, inBoth, inOne].toSorted(),
    )
  })

  it('forgets the completions in the process alone', async () => {
    const { id, first, second, inBoth } = await newProcess()
    const other = await createProcess({ groups: GROUPS })
    await associate(inBoth, other.groups[0].id)
    for (const group of [first, second, other.groups[0]]) {
      await complete(inBoth, group.questionnaires[0].id)
    }

    expect((await empty(id)).body.data).toEqual({ dissociated: 2 + 1 })

    expect(await completionsOf(inBoth)).toBe(1)
    const { processes_groups } = await read(inBoth)
    expect(processes_groups).toMatchObject([
      { process: { id: other.id }, questionnaire_status: 'Concluído' },
    ])
    await associate(inBoth, first.id)
    expect((await read(inBoth)).processes_groups[1].questionnaire_status).toBe('Pendente')
  })

  it('moves the updated_at of those who were in it alone, and repeated changes and records nothing', async () => {
    const [{ id, inBoth, inOne }, other] = [await newProcess(), await newProcess()]
    await setUpdatedLongAgo(inBoth, inOne, other.inBoth)
    await empty(id)
    for (const informerId of [inBoth, inOne]) {
      expect((await read(informerId)).updated_at > LONG_AGO).toBe(true)
    }
    expect(await read(other.inBoth)).toMatchObject({
      updated_at: LONG_AGO,
      processes_groups: [{}, {}],
    })

    await setUpdatedLongAgo(inBoth)
    const { token, records } = await newActor()

    const { status, body } = await empty(id, { token })

    expect([status, body.data]).toEqual([200, { dissociated: 0 }])
    expect(await records()).toEqual([])
    expect((await read(inBoth)).updated_at).toBe(LONG_AGO)
  })

  it('is 404 for a process that does not exist', async () => {
    for (const id of [UNKNOWN_ID, 'x', '%00']) {
      expect(await empty(id)).toMatchObject({
        status: 404,
        body: { success: false, message: 'Processo não encontrado.' },
      })
    }
  })

  it('five times at once ends and records each pair once, and leaves a process that can be deleted', async () => {
    const { id } = await newProcess()
    const { token, records } = await newActor()
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => empty(id, { token })),
    )
    const counts = responses.map(({ body }) => body.data.dissociated).toSorted()
    expect(counts).toEqual([0, 0, 0, 0, 3])
    expect(await records()).toHaveLength(1 + 3)
    expect((await send('DELETE', `/processes/${id}`)).status).toBe(200)
  })

  it('counts and records each pair once when the connection is lost after the effect', async () => {
    const { id, first, inBoth } = await newProcess()
    const { token, records } = await newActor()
    let trip = 0
    const DB = interceptedDatabase(async (query) => {
      trip += 1
      const isLost = trip === 2 // the first reads the caller
      const result = await query()
      if (!isLost) return result

      // what happens before the retry is not undone by it
      await setUpdatedLongAgo(inBoth)
      throw new Error('D1_ERROR: Network connection lost.')
    })

    const { status, body } = await empty(id, { token, env: { DB } })

    expect([trip, status, body.data]).toEqual([4, 200, { dissociated: 3 }])
    expect(await records()).toHaveLength(1 + 3)
    expect((await read(inBoth)).updated_at).toBe(LONG_AGO)
    await associate(inBoth, first.id)
    expect((await empty(id)).body.data).toEqual({ dissociated: 1 })
  })
})
