import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newEmail } from '../support/emails.ts'
import { ELSEWHERE, fail, failuresOf } from '../support/failed-logins.ts'
import {
  administratorToken,
  beforeRoundTrips,
  callJson,
  newLogin,
  tokenOfNew,
} from '../support/helper.ts'
import { storedRows } from '../support/stored.ts'
import { auditedActions, storedUser } from '../support/users.ts'

type Person = { id: string; token: string; email: string }

async function newAdministrator(): Promise<Person> {
  const user = await newLogin({ role: 'administrator' })
  return { ...user, token: await tokenOfNew(user) }
}

const remove = (subject: Person, by: { token: string }, bindings = {}) =>
  callJson(`/administrators/${subject.id}`, {
    method: 'DELETE',
    token: by.token,
    env: bindings,
  })

const areLeft = async (people: Person[]) => {
  const rows = await Promise.all(people.map(({ id }) => storedUser(id)))
  return rows.map((row) => row !== null)
}

/** What is held of a person beside their row. */
async function holdEverything({ id, email }: Person): Promise<void> {
  await callJson('/auth/password/forgot', { body: { email } })
  await fail(email, ELSEWHERE, 1, 3)
  await env.DB.batch([
    env.DB.prepare(
      `insert into email_tokens (token_hash, user_id, kind, expires_at)
       values (?1, ?1, 'password_reset', '9999')`,
    ).bind(id),
    env.DB.prepare(
      `insert into known_addresses (identifier, address)
       select identifier, address from failed_logins limit 1`,
    ),
  ])
}

describe('administrators who delete each other', () => {
  it('leave the faster one of two, with everything that is held of them', async () => {
    const [slow, fast] = [await newAdministrator(), await newAdministrator()]
    await holdEverything(fast)

    let before = {}
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 3) return // after the guard and the reading of whom to delete
      expect((await remove(slow, fast)).status).toBe(200)
      before = await storedRows()
    })
    const { status, body } = await remove(fast, slow, { DB })
    expect([status, body]).toEqual([401, { success: false, message: 'Token inválido' }])
    expect(await storedRows()).toEqual(before)
    expect(await areLeft([slow, fast])).toEqual([false, true])
  })

  it.each([2, 3, 4])('leave one of %i at least, whoever is faster', async (count) => {
    for (let round = 0; round < 6; round++) {
      const people = await Promise.all(Array.from({ length: count }, newAdministrator))
      const responses = await Promise.all(
        people.map((person, index) =>
          remove(people[(index + 1) % count] ?? person, person),
        ),
      )
      const left = (await areLeft(people)).filter(Boolean)
      const deleted = responses.filter(({ status }) => status === 200)
      expect(left.length).toBeGreaterThan(0)
      expect(deleted).toHaveLength(count - left.length)
      for (const { status } of responses) expect([200, 401]).toContain(status)
    }
  })
})

describe('a deletion that comes too late', () => {
  it('takes nothing from somebody who has the email by now', async () => {
    const email = newEmail()
    const token = await administratorToken()
    const body = { first_name: 'Rita', email }
    const former = await callJson('/administrators', { token, body })
    const path = `/administrators/${former.body.data.id}`

    let successor = ''
    let before = {}
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 3) return
      expect((await callJson(path, { method: 'DELETE', token })).status).toBe(200)
      successor = (await callJson('/administrators', { token, body })).body.data.id
      await fail(email, ELSEWHERE, 1, 50)
      before = await storedRows()
    })
    const { status } = await callJson(path, { method: 'DELETE', token, env: { DB } })
    expect(status).toBe(404)
    expect(await storedRows()).toEqual(before)
    expect(await failuresOf(email)).toBe(50)
    expect(await auditedActions(successor)).toEqual(['administrator.created'])
  })
})
