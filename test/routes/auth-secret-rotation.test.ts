import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { elapse, mailbox, newEmail, runCron } from '../support/emails.ts'
import { ELSEWHERE } from '../support/failed-logins.ts'
import {
  administratorToken,
  callJson,
  newLogin,
  PASSWORD,
  runAfterTest,
  UNLIMITED,
} from '../support/helper.ts'

const HOME = '203.0.113.9'
const CPF = '52998224725'

const BEFORE = { JWT_SECRET: env.JWT_SECRET }
const AFTER = {
  JWT_SECRET: 'the secret that replaces the other one',
  JWT_SECRET_PREVIOUS: env.JWT_SECRET,
}

type Secrets = typeof BEFORE | typeof AFTER

const login = (
  identifier: object,
  address: string,
  secrets: Secrets,
  password = PASSWORD,
) =>
  callJson('/auth/login', {
    body: { ...identifier, password },
    headers: { 'CF-Connecting-IP': address },
    env: {
      LOGIN_IDENTIFIER_LIMIT: UNLIMITED,
      LOGIN_NETWORK_LIMIT: UNLIMITED,
      ...secrets,
    },
  })

const REPEAT_FAILURE = `
  insert into failed_logins (id, identifier, address, failed_at)
  select value || last.id, identifier, address, failed_at
  from json_each(?1), (select * from failed_logins order by rowid desc limit 1) as last`

/** Fails to log in once, and repeats what is stored of that. */
async function failTimes(
  times: number,
  identifier: object,
  address: string,
  secrets: Secrets,
) {
  expect((await login(identifier, address, secrets, 'Errada2026')).status).toBe(401)
  const others = JSON.stringify([...Array(times - 1).keys()])
  await env.DB.prepare(REPEAT_FAILURE).bind(others).run()
}

const statusOf = async (...attempt: Parameters<typeof login>) =>
  (await login(...attempt)).status

/** A new user with the CPF, which is free again after the test. */
async function newUserWithCpf() {
  const user = await newLogin()
  await env.DB.prepare('update users set cpf = ? where id = ?').bind(CPF, user.id).run()
  runAfterTest('update users set cpf = null where cpf = ?', CPF)
  return user
}

beforeEach(() => env.DB.exec('delete from failed_logins'))

describe('a new JWT_SECRET with the former one as JWT_SECRET_PREVIOUS', () => {
  it.each([
    [BEFORE, BEFORE],
    [BEFORE, AFTER],
    [AFTER, AFTER],
  ])(
    'forgets neither the usual address nor failures elsewhere',
    async (trusted, failed) => {
      const user = await newUserWithCpf()
      for (const identifier of [{ email: user.email }, { cpf: CPF }]) {
        expect(await statusOf(identifier, HOME, trusted)).toBe(200)
        await failTimes(50, identifier, ELSEWHERE, failed)
        expect(await statusOf(identifier, ELSEWHERE, AFTER)).toBe(429)
        expect(await statusOf(identifier, HOME, AFTER)).toBe(200)
      }
    },
  )

  it('counts failures of before and after together', async () => {
    const { email } = await newLogin()
    await failTimes(30, { email }, ELSEWHERE, BEFORE)
    await failTimes(20, { email }, HOME, AFTER)
    expect(await statusOf({ email }, HOME, AFTER)).toBe(429)
  })

  it('leaves fifty failures to the usual address, before and after together', async () => {
    const { email } = await newLogin()
    expect(await statusOf({ email }, HOME, BEFORE)).toBe(200)
    await failTimes(30, { email }, HOME, BEFORE)
    await failTimes(20, { email }, HOME, AFTER)
    expect(await statusOf({ email }, HOME, AFTER)).toBe(429)
  })

  it('clears earlier failures after a login', async () => {
    const { email } = await newLogin()
    await failTimes(49, { email }, HOME, BEFORE)
    expect(await statusOf({ email }, HOME, AFTER)).toBe(200)
    await failTimes(49, { email }, HOME, AFTER)
    expect(await statusOf({ email }, HOME, AFTER)).toBe(200)
  })

  it('is trusted alone from the next login on', async () => {
    const { email } = await newLogin()
    expect(await statusOf({ email }, HOME, BEFORE)).toBe(200)
    expect(await statusOf({ email }, HOME, AFTER)).toBe(200)
    const alone = { JWT_SECRET: AFTER.JWT_SECRET }
    await failTimes(50, { email }, ELSEWHERE, alone)
    expect(await statusOf({ email }, HOME, alone)).toBe(200)
  })

  it('leaves no earlier trusted address after a corrected email', async () => {
    const { id, email } = await newUserWithCpf()
    for (const secrets of [BEFORE, AFTER]) {
      expect(await statusOf({ email }, HOME, secrets)).toBe(200)
      expect(await statusOf({ cpf: CPF }, HOME, secrets)).toBe(200)
    }
    await callJson(`/informers/${id}`, {
      method: 'PATCH',
      token: await administratorToken(),
      body: { email: newEmail() },
      env: AFTER,
    })
    for (const identifier of [{ email }, { cpf: CPF }]) {
      await failTimes(50, identifier, ELSEWHERE, AFTER)
      expect(await statusOf(identifier, HOME, AFTER)).toBe(429)
    }
  })

  it('leaves nothing under the former secret after a deletion', async () => {
    const counted = () =>
      env.DB.prepare(
        `select (select count(*) from known_addresses) + (select count(*) from failed_logins)`,
      ).first()
    const before = await counted()
    const { id, email } = await newUserWithCpf()
    for (const secrets of [BEFORE, AFTER]) {
      for (const identifier of [{ email }, { cpf: CPF }]) {
        expect(await statusOf(identifier, HOME, secrets)).toBe(200)
        await failTimes(2, identifier, ELSEWHERE, secrets)
      }
    }
    await callJson(`/informers/${id}`, {
      method: 'DELETE',
      token: await administratorToken(),
      env: AFTER,
    })
    expect(await counted()).toEqual(before)
  })

  it('counts the emails of before', async () => {
    await env.DB.exec('delete from email_outbox') // what other tests have left
    const { email } = await newLogin()
    const { EMAIL, sent } = mailbox()
    for (const secrets of [BEFORE, AFTER]) {
      await callJson('/auth/password/forgot', { body: { email }, env: secrets })
      await runCron({ EMAIL, ...secrets })
    }
    expect(sent).toHaveLength(1)
    await elapse(5)
    await runCron({ EMAIL, ...AFTER })
    expect(sent).toHaveLength(2)
  })
})
