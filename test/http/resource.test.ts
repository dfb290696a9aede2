import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { beforeRoundTrips, UNKNOWN_ID } from '../support/helper.ts'
import { newActor, send } from '../support/processes.ts'
import { create, newPath, pathOf, resources, stored } from '../support/resources.ts'

const fold = (text: string) => text.toUpperCase().replace('ÇÃO', 'CAO')

describe.each(resources)('$path', (resource) => {
  const { type, table, noun, ending, unique, taken, label, newBody, inUse, use } =
    resource
  const TAKEN = { [unique]: [taken] }
  const NOT_FOUND = { success: false, message: `${noun} não encontrad${ending}.` }
  const record = (participle: string, id: unknown) => ({
    action: `${type}.${participle}`,
    subject_type: type,
    subject_id: id,
  })
  const rowOf = (id: string) =>
    env.DB.prepare(`select * from ${table} where id = ?`).bind(id).first()

  it('POST creates it, with one record', async () => {
    const { token, records } = await newActor()
    const body = newBody()
    const { status, body: created } = await send('POST', await newPath(resource), body, {
      token,
    })
    expect([status, created.success, created.message]).toEqual([
      201,
      true,
      `${noun} criad${ending} com sucesso.`,
    ])
    expect(await records()).toEqual([
      record('created', String((await stored(resource, body[unique]))?.id)),
    ])
  })

  it('POST and PATCH reject what another has, without case and accents', async () => {
    const path = await newPath(resource)
    const [{ id, value }, other] = [
      await create(resource, path),
      await create(resource, path),
    ]
    const before = await rowOf(other.id)
    for (const response of [
      await send('POST', path, { ...newBody(), [unique]: fold(value) }),
      await send('PATCH', pathOf(resource, other.id), { [unique]: fold(value) }),
    ]) {
      expect([response.status, response.body.errors]).toEqual([422, TAKEN])
    }
    expect(await rowOf(other.id)).toEqual(before)
    expect(
      (await send('PATCH', pathOf(resource, id), { [unique]: fold(value) })).status,
    ).toBe(200) // its own
  })

  it('POST lets one of eight simultaneous requests pass', async () => {
    const [path, body] = [await newPath(resource), newBody()]
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', path, body)),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array(7).fill(422),
    ])
    expect(responses.find(({ status }) => status === 422)?.body.errors).toEqual(TAKEN)
  })

  it('PATCH changes what is sent, with a record; nothing, and none, where nothing differs', async () => {
    const { token, records } = await newActor()
    const { id, value } = await create(resource)
    const before = await rowOf(id)
    expect(
      (await send('PATCH', pathOf(resource, id), { [unique]: value }, { token })).status,
    ).toBe(200)
    expect([await rowOf(id), await records()]).toEqual([before, []])
    const changed = newBody()[unique]
    const headers = { 'Content-Type': 'application/merge-patch+json' }
    const path = pathOf(resource, id.toUpperCase())
    const { status, body } = await send(
      'PATCH',
      path,
      { [unique]: changed },
      { token, headers },
    )
    expect([status, body.message]).toEqual([
      200,
      `${noun} atualizad${ending} com sucesso.`,
    ])
    expect(JSON.stringify(body.data)).toContain(changed)
    expect(await rowOf(id)).toMatchObject({ [unique]: changed })
    expect(await records()).toEqual([record('updated', id)])
  })

  it('PATCH rejects a body without a known field, and one that empties a required one', async () => {
    const path = pathOf(resource, (await create(resource)).id)
    for (const body of [{}, { id: 1, unknown: null }]) {
      expect((await send('PATCH', path, body)).body.errors).toEqual({
        body: ['Informe ao menos um campo.'],
      })
    }
    const required = unique === 'email' ? 'first_name' : unique
    for (const value of [null, ' ']) {
      const { status, body } = await send('PATCH', path, { [required]: value })
      expect([status, body.errors]).toEqual([
        422,
        { [required]: [`O campo ${label} é obrigatório.`] },
      ])
    }
  })

  it('PATCH is 422 where another request takes what is unique between check and write', async () => {
    const path = await newPath(resource)
    const { id } = await create(resource, path)
    const other = newBody()
    const DB = beforeRoundTrips((trip) =>
      trip === 3 ? send('POST', path, other) : undefined,
    )
    const { status, body } = await send(
      'PATCH',
      pathOf(resource, id),
      { [unique]: other[unique] },
      { env: { DB } },
    )
    expect([status, body.errors]).toEqual([422, TAKEN])
  })

  it('DELETE deletes it once, with one record', async () => {
    const { token, records } = await newActor()
    const { id } = await create(resource)
    const { status, body } = await send('DELETE', pathOf(resource, id), undefined, {
      token,
    })
    expect([status, body]).toEqual([
      200,
      { success: true, message: `${noun} excluíd${ending} com sucesso.` },
    ])
    expect(await rowOf(id)).toBeNull()
    expect(await send('DELETE', pathOf(resource, id))).toMatchObject({
      status: 404,
      body: NOT_FOUND,
    })
    expect(await records()).toEqual([record('deleted', id)])
  })

  it.each(use ? [1, 2] : [])(
    'DELETE is 409 where it is in use before round trip %i',
    async (when) => {
      const { token, records } = await newActor()
      const { id } = await create(resource)
      const before = await rowOf(id)
      const DB = beforeRoundTrips((trip) => (trip === when ? use?.(id) : undefined))
      const { status, body } = await send('DELETE', pathOf(resource, id), undefined, {
        token,
        env: { DB },
      })
      expect([status, body]).toEqual([409, { success: false, message: inUse }])
      expect([await rowOf(id), await records()]).toEqual([before, []])
    },
  )

  it.each([UNKNOWN_ID, 'x', '0', '1.5', '01', '999999', '9'.repeat(30), '%00'])(
    '%s is no id: 404',
    async (id) => {
      const path = pathOf(resource, id)
      const body = { [unique]: newBody()[unique] }
      for (const response of [
        await send('PATCH', path, body),
        await send('DELETE', path),
      ]) {
        expect(response).toMatchObject({ status: 404, body: NOT_FOUND })
      }
      expect((await send('PATCH', path, {})).status).toBe(422) // the body comes first
      if (!['group', 'questionnaire'].includes(type)) {
        expect(await send('GET', path)).toMatchObject({ status: 404, body: NOT_FOUND })
      }
    },
  )
})

it.each([
  [`/processes/${UNKNOWN_ID}/groups`, 'Processo', 'group'],
  [`/groups/%00/questionnaires`, 'Grupo', 'questionnaire'],
])('POST %s, of no parent, is 404 after the body', async (path, parent, type) => {
  const resource = resources.find((resource) => resource.type === type)
  const response = await send('POST', path, resource?.newBody())
  expect(response).toMatchObject({
    status: 404,
    body: { message: `${parent} não encontrado.` },
  })
  expect((await send('POST', path, {})).status).toBe(422)
})
