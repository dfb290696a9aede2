import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { elapse, mailbox, newEmail, runCron } from '../support/emails.ts'
import { ELSEWHERE, fail, HOME, logInFrom } from '../support/failed-logins.ts'
import { callJson, counting, newLogin } from '../support/helper.ts'
import { patch, pathOf } from '../support/notices.ts'
import { send } from '../support/processes.ts'
import {
  codeOf,
  newFactorOwner,
  passSteps,
  stopClock,
} from '../support/second-factors.ts'
import { giveCpf, storedUser } from '../support/users.ts'
import { replaceSealedSecret } from '#database/accounts/second-factors.ts'
import { openDatabase } from '#database/client.ts'

const NEXT = 'the secret that replaces the other one'
const BEFORE = { JWT_SECRET: env.JWT_SECRET }
const ROTATING = { JWT_SECRET: NEXT, JWT_SECRET_PREVIOUS: env.JWT_SECRET }
const ROTATED = { JWT_SECRET: NEXT, JWT_SECRET_PREVIOUS: '' }

const statusOf = async (...attempt: Parameters<typeof logInFrom>) =>
  (await logInFrom(...attempt)).status

const failUnder = (
  { JWT_SECRET }: typeof BEFORE,
  identifier: string,
  address: string,
  times: number,
) => fail(identifier, address, 1, times, JWT_SECRET)

describe('a new JWT_SECRET with the former one as JWT_SECRET_PREVIOUS', () => {
  it.each([
    [BEFORE, BEFORE],
    [BEFORE, ROTATING],
    [ROTATING, ROTATING],
  ])(
    'forgets neither the usual address nor failures elsewhere: %j, %j',
    async (trusted, failed) => {
      const { email } = await newLogin()
      expect(await statusOf(HOME, { email }, trusted)).toBe(200)
      await failUnder(failed, email, ELSEWHERE, 50)
      expect(await statusOf(ELSEWHERE, { email }, ROTATING)).toBe(429)
      expect(await statusOf(HOME, { email }, ROTATING)).toBe(200)
    },
  )

  it.each(['another', 'the usual'])(
    'counts failures of before and after together, from %s address',
    async (address) => {
      const { email } = await newLogin()
      if (address === 'the usual') await logInFrom(HOME, { email }, BEFORE)
      const elsewhere = address === 'the usual' ? HOME : ELSEWHERE
      await failUnder(BEFORE, email, elsewhere, 30)
      await failUnder(ROTATING, email, HOME, 20)
      expect(await statusOf(HOME, { email }, ROTATING)).toBe(429)
    },
  )

  it('forgets earlier failures after a login', async () => {
    const { email } = await newLogin()
    for (const secrets of [BEFORE, ROTATING]) {
      await failUnder(secrets, email, HOME, 49)
      expect(await statusOf(HOME, { email }, ROTATING)).toBe(200)
    }
  })

  it('is trusted alone from the next login on', async () => {
    const { email } = await newLogin()
    for (const secrets of [BEFORE, ROTATING]) await logInFrom(HOME, { email }, secrets)
    await failUnder(ROTATED, email, ELSEWHERE, 50)
    expect(await statusOf(HOME, { email }, ROTATED)).toBe(200)
  })

  it('leaves no earlier trusted address after a corrected email', async () => {
    const user = await newLogin()
    const { email } = user
    const cpf = await giveCpf(user.id)
    for (const secrets of [BEFORE, ROTATING]) {
      expect(await statusOf(HOME, { email }, secrets)).toBe(200)
      expect(await statusOf(HOME, { cpf }, secrets)).toBe(200)
    }
    await patch(user, { email: newEmail() }, ROTATING)
    for (const identifier of [{ email }, { cpf }]) {
      await failUnder(ROTATING, identifier.email ?? cpf, ELSEWHERE, 50)
      expect(await statusOf(HOME, identifier, ROTATING)).toBe(429)
    }
  })

  it('trusts no address under the former secret after a deletion', async () => {
    const counted = () => env.DB.prepare('select count(*) from known_addresses').first()
    const before = await counted()
    const user = await newLogin()
    const { email } = user
    const cpf = await giveCpf(user.id)
    for (const secrets of [BEFORE, ROTATING]) {
      for (const identifier of [{ email }, { cpf }]) {
        expect(await statusOf(HOME, identifier, secrets)).toBe(200)
      }
    }
    await send('DELETE', pathOf(user), undefined, { env: ROTATING })
    expect(await counted()).toEqual(before)
  })

  it('counts the emails of before', async () => {
    await env.DB.exec('delete from email_outbox; delete from notices') // what other tests have left
    const { email } = await newLogin()
    const { EMAIL, sent } = mailbox()
    for (const secrets of [BEFORE, ROTATING]) {
      await callJson('/auth/password/forgot', { body: { email }, env: secrets })
      await runCron({ EMAIL, ...secrets })
    }
    expect(sent).toHaveLength(1)
    await elapse(5)
    await runCron({ EMAIL, ...ROTATING })
    expect(sent).toHaveLength(2)
  })
})

describe('a second factor, when JWT_SECRET changes,', () => {
  beforeEach(stopClock)

  const enter = ({ email, secret }: { email: string; secret: Uint8Array }, env: object) =>
    statusOf(HOME, { email, code: codeOf(secret) }, env)

  it('stays with JWT_SECRET_PREVIOUS, before the trigger and after it', async () => {
    const owner = await newFactorOwner()
    const waiting = await newFactorOwner({ isWaiting: true })
    expect(await enter(owner, ROTATING)).toBe(200)
    const before = await storedUser(owner.id)
    await runCron(ROTATING)
    const after = await storedUser(owner.id)
    const second_factor_secret = expect.not.stringContaining(owner.sealed)
    expect(after).toEqual({ ...before, second_factor_secret })
    passSteps(1)
    expect(await enter(owner, ROTATED)).toBe(200)

    const { body } = await logInFrom(HOME, { email: waiting.email }, ROTATED)
    const enabled = await callJson('/auth/second-factor', {
      method: 'PUT',
      token: body.data.access_token,
      body: { code: codeOf(waiting.secret) },
      env: ROTATED,
    })
    expect(enabled.status).toBe(200)
  })

  it('is sealed anew once, which takes one round trip of each trigger', async () => {
    const { id } = await newFactorOwner()
    const roundTrips = async (secrets: object) => {
      const { binding: DB, count } = counting()
      await runCron({ ...secrets, DB })
      return count.roundTrips
    }
    await runCron(ROTATING)
    const once = await storedUser(id)
    expect((await roundTrips(ROTATING)) - (await roundTrips(ROTATED))).toBe(1)
    expect(await storedUser(id)).toEqual(once)
  })

  it('is not sealed anew if it was replaced meanwhile', async () => {
    const { id, sealed } = await newFactorOwner()
    await replaceSealedSecret(openDatabase(env.DB), id, 'the one before', 'sealed anew')
    expect(await storedUser(id)).toMatchObject({ second_factor_secret: sealed })
  })

  it('takes no code without JWT_SECRET_PREVIOUS, and is not lost', async () => {
    const owner = await newFactorOwner()
    expect(await enter(owner, ROTATED)).toBe(401)
    await runCron(ROTATED)
    expect(await enter(owner, {})).toBe(200)
  })
})
