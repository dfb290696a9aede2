import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newLinkToken } from '../support/emails.ts'
import {
  administratorToken,
  beforeRoundTrips,
  call,
  type Call,
  callJson,
  newLogin,
  PASSWORD,
  tokenOfNew,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { create, patch } from '../support/informers.ts'
import { createProcess, newActor, send } from '../support/processes.ts'
import { newText } from '../support/resources.ts'
import { newFactorOwner } from '../support/second-factors.ts'

const CHANGED = { success: false, message: 'O registro mudou desde que foi lido.' }

/** The tag of a person, by a GET. */
async function tagOf(path: string, options: Call = {}) {
  const token = await administratorToken()
  const { status, headers } = await call(path, { token, ...options })
  expect(status).toBe(200)
  return headers.get('ETag') ?? ''
}

const conditional = async (method: string, path: string, tag: string, body?: unknown) =>
  send(method, path, body, { headers: { 'If-Match': tag } })

const newEmail = () => `${crypto.randomUUID()}@example.org`

const count = (sql: string, id: string) => env.DB.prepare(sql).bind(id).first<number>('n')

describe.each(['informer', 'administrator'] as const)(
  'the entity tag of an %s',
  (role) => {
    const pathOf = (id: string) => `/${role}s/${id}`
    const newPath = async () => pathOf((await newLogin({ role })).id)

    it('is the same strong one by 201, its repetition, GET, HEAD and a PATCH of nothing', async () => {
      const body = { first_name: 'Ana', email: newEmail() }
      const headers = { 'Idempotency-Key': crypto.randomUUID() }
      const created = await send('POST', `/${role}s`, body, { headers })
      const repeated = await send('POST', `/${role}s`, body, { headers })
      const path = pathOf(created.body.data.id)
      const same = await send('PATCH', path, { first_name: ' Ana ' })

      const tag = created.headers.get('ETag')
      expect(tag).toMatch(/^"[!#-~]+"$/)
      expect([created.status, repeated.status, same.status]).toEqual([201, 201, 200])
      expect(repeated.headers.get('ETag')).toBe(tag)
      expect(same.headers.get('ETag')).toBe(tag)
      expect(await tagOf(path)).toBe(tag)
      expect(await tagOf(path, { method: 'HEAD' })).toBe(tag)
    })

    it.each([
      { first_name: 'Outra' },
      { last_name: 'Outra' },
      { email: 'nova@example.org' },
      { is_email_verified: true },
      { password: 'Xerife2026' },
      { phone: '1' },
      { cpf: '39053344705' },
      { img_url: 'https://example.org/a.png' },
    ])('changes with a PATCH of %j, whose response has the new one', async (body) => {
      const path = await newPath()
      const before = await tagOf(path)
      const { status, headers } = await send('PATCH', path, body)
      expect(status).toBe(200)
      expect(headers.get('ETag')).not.toBe(before)
      expect(await tagOf(path)).toBe(headers.get('ETag'))
      await send('DELETE', path) // another may have this email
    })

    it.each(['verification', 'password_reset'] as const)(
      'changes when a link of %s confirms the email',
      async (kind) => {
        const { id } = await newLogin({ role, verification: 'required' })
        const before = await tagOf(pathOf(id))
        const token = await newLinkToken(id, kind)
        const [path, body] =
          kind === 'verification'
            ? ['/auth/email/verify', { token }]
            : ['/auth/password/reset', { token, password: 'Xerife2026' }]
        expect((await callJson(path, { body })).status).toBe(200)
        expect(await tagOf(pathOf(id))).not.toBe(before)
      },
    )

    it('stays with logins and the end of sessions', async () => {
      const { id, email } = await newLogin({ role })
      const before = await tagOf(pathOf(id))
      const login = await callJson('/auth/login', { body: { email, password: PASSWORD } })
      expect(login.status).toBe(200)
      await send('DELETE', `${pathOf(id)}/sessions`)
      expect(await tagOf(pathOf(id))).toBe(before)
    })

    it('is no matter of If-None-Match', async () => {
      const path = await newPath()
      for (const tag of ['*', await tagOf(path)]) {
        const { status, body } = await send('GET', path, undefined, {
          headers: { 'If-None-Match': tag },
        })
        expect([status, body.success]).toEqual([200, true])
      }
    })
  },
)

it('the entity tag of an informer stays with groups, completions and renamed references', async () => {
  const { groups, id: processId } = await createProcess()
  const [group] = groups
  const category = await send('POST', '/categories', {
    name: newText(),
    description: 'Um',
  })
  const category_id = category.body.data.id
  const { id } = await create({ category_id })
  const path = `/informers/${id}`
  const tag = await tagOf(path)
  for (const [method, other] of [
    ['PUT', `/groups/${group.id}`],
    ['PUT', `/questionnaires/${group.questionnaires[0].id}`],
    ['DELETE', `/questionnaires/${group.questionnaires[0].id}`],
    ['DELETE', `/groups/${group.id}`],
    ['PUT', `/groups/${group.id}`],
  ] as const) {
    const { status, headers } = await conditional(method, path + other, '"outro"')
    expect([status, headers.get('ETag')]).toEqual([200, tag]) // and they look at no If-Match
  }
  await send('DELETE', `/processes/${processId}/informers`)
  await send('PATCH', `/categories/${category_id}`, { name: newText() })
  expect(await tagOf(path)).toBe(tag)
})

it('the entity tag of an administrator stays with a second factor', async () => {
  const { id } = await newFactorOwner()
  const path = `/administrators/${id}`
  const before = await tagOf(path)
  const { status, headers } = await conditional(
    'DELETE',
    `${path}/second-factor`,
    '"outro"',
  )
  expect([status, headers.get('ETag')]).toEqual([200, before])
  expect(await tagOf(path)).toBe(before)
})

it('lists and the own user have none', async () => {
  for (const path of ['/informers', '/administrators', '/auth/me', '/processes']) {
    expect((await send('GET', path)).headers.get('ETag')).toBeNull()
  }
})

describe.each(['informer', 'administrator'] as const)('If-Match for an %s', (role) => {
  const newPath = async () => `/${role}s/${(await newLogin({ role })).id}`

  it('lets a PATCH and a DELETE through that name the state', async () => {
    const path = await newPath()
    const changed = await conditional('PATCH', path, await tagOf(path), { phone: '1' })
    expect(changed.status).toBe(200)
    expect((await conditional('DELETE', path, await tagOf(path))).status).toBe(200)
  })

  it('refuses them with any other tag, also a PATCH of nothing, and leaves no record', async () => {
    const path = await newPath()
    const old = await tagOf(path)
    await send('PATCH', path, { phone: '1' })
    const { token, records } = await newActor()
    for (const tag of [old, `W/${await tagOf(path)}`]) {
      const options = { token, headers: { 'If-Match': tag } }
      for (const body of [{ phone: '2' }, { phone: '1' }]) {
        const {
          status,
          body: refused,
          headers,
        } = await send('PATCH', path, body, options)
        expect([status, refused]).toEqual([412, CHANGED])
        expect(headers.get('ETag')).toBeNull()
      }
      expect((await send('DELETE', path, undefined, options)).status).toBe(412)
    }
    expect(await records()).toEqual([])
    expect((await send('GET', path)).body.data.phone).toBe('1')
  })

  it('comes after 422 and 404', async () => {
    const path = await newPath()
    expect((await conditional('PATCH', path, '"x"', { cpf: '1' })).status).toBe(422)
    for (const [method, body] of [['PATCH', { phone: '1' }], ['DELETE']] as const) {
      const unknown = await conditional(method, `/${role}s/${UNKNOWN_ID}`, '*', body)
      expect(unknown.status).toBe(404)
    }
  })

  it.each(['PATCH', 'DELETE'])(
    'of a %s is asked in its transaction, so what comes between its read and its write counts',
    async (method) => {
      const path = await newPath()
      const id = path.split('/').at(-1) ?? ''
      const tag = await tagOf(path)
      const body = method === 'PATCH' ? { phone: 'dele' } : undefined
      const DB = beforeRoundTrips(async (trip) => {
        const isProven = role === 'administrator' && method === 'DELETE'
        if (trip !== (isProven ? 4 : 3)) return // after guard, proof and read
        await send('PATCH', path, { phone: 'meu' })
      })
      const options = { env: { DB }, headers: { 'If-Match': tag } }
      expect((await send(method, path, body, options)).status).toBe(412)
      expect(await count('select phone as n from users where id = ?', id)).toBe('meu')
    },
  )
})

it('DELETE of oneself with another tag is 412, and else 409', async () => {
  const self = await newLogin({ role: 'administrator' })
  const [token, path] = [await tokenOfNew(self), `/administrators/${self.id}`]
  const remove = async (tag: string) =>
    (await send('DELETE', path, undefined, { token, headers: { 'If-Match': tag } }))
      .status
  expect(await remove('"x"')).toBe(412)
  expect(await remove(await tagOf(path))).toBe(409)
  expect((await send('DELETE', path, undefined, { token })).status).toBe(409)
})

it('PATCH of an informer keeps references that were deactivated since', async () => {
  const REFERENCES = {
    category_id: ['/categories', { description: 'Um' }],
    diocese_id: ['/dioceses', { state: 'SP' }],
    treatment_pronoun_id: ['/treatment-pronouns', { description: 'Um' }],
  } as const
  for (const [field, [path, own]] of Object.entries(REFERENCES)) {
    const newRow = async () =>
      (await send('POST', path, { name: newText(), ...own })).body.data.id
    const [stored, other] = [await newRow(), await newRow()]
    const { id } = await create({ [field]: stored })
    for (const row of [stored, other]) {
      await send('PATCH', `${path}/${row}`, { active: false })
    }

    const kept = await patch(id, { [field]: stored, phone: '1' })
    expect([kept.status, kept.body.data?.phone]).toEqual([200, '1'])
    const refused = await patch(id, { [field]: other })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, [field]])
    await patch(id, { [field]: null })
    expect((await patch(id, { [field]: stored })).status).toBe(422)
    const created = await send('POST', '/informers', {
      first_name: 'Ana',
      [field]: stored,
    })
    expect(created.status).toBe(422)
  }
})
