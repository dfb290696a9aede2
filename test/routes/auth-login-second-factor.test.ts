import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { newEmail, newLinkToken, runCron } from '../support/emails.ts'
import { ELSEWHERE, fail, failuresOf } from '../support/failed-logins.ts'
import {
  administratorToken,
  beforeRoundTrips,
  type Call,
  callJson,
  counting,
  newLogin,
  PASSWORD,
  rateLimits,
  UNLIMITED,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import {
  codeOf,
  currentStep,
  newFactorOwner,
  passSteps,
  stopClock,
  wrongCodeOf,
} from '../support/second-factors.ts'
import { auditedActions, storedUser } from '../support/users.ts'
import { replaceSealedSecret } from '#database/accounts/second-factors.ts'
import { openDatabase } from '#database/client.ts'

const WRONG = { success: false, message: 'Credenciais inválidas.' }
const NO_CODE = { success: false, message: 'Informe o código do segundo fator.' }

const login = (body: object, options: Call = {}) =>
  callJson('/auth/login', { body: { password: PASSWORD, ...body }, ...options })

beforeEach(stopClock)

describe('POST /v1/auth/login of an administrator with a second factor', () => {
  it('takes a code beside the password, in two round trips before the response', async () => {
    const { id, email, secret } = await newFactorOwner()
    const { binding, count, behind } = counting()
    const { status } = await login(
      { email, code: codeOf(secret) },
      { env: { DB: binding } },
    )
    expect(status).toBe(200)
    expect(logged('info').at(-1)).toMatchObject({ round_trips: 2 })
    expect([count.roundTrips, behind.roundTrips]).toEqual([2, 1])
    expect(await storedUser(id)).toMatchObject({ second_factor_step: currentStep() })
    expect(await auditedActions(id, id)).toEqual(['session.started'])
    expect(await failuresOf(email)).toBe(0)
  })

  it('does not move updated_at', async () => {
    const { id, email, secret } = await newFactorOwner()
    const before = await storedUser(id)
    await login({ email, code: codeOf(secret) })
    expect((await storedUser(id))?.updated_at).toBe(before?.updated_at)
  })

  it('takes a code beside the CPF', async () => {
    const { id, secret } = await newFactorOwner()
    const cpf = '52998224725'
    await env.DB.prepare('update users set cpf = null where cpf = ?').bind(cpf).run()
    await env.DB.prepare('update users set cpf = ? where id = ?').bind(cpf, id).run()
    expect((await login({ cpf })).body).toEqual(NO_CODE)
    expect((await login({ cpf, code: codeOf(secret) })).status).toBe(200)
  })

  it.each([undefined, null, '', '   '])(
    'asks for a code where it is %j: neither a failure nor a login',
    async (code) => {
      const { id, email } = await newFactorOwner()
      await fail(email, 'local', 0, 3)
      const { status, body, headers } = await login({ email, code })
      expect([status, body]).toEqual([401, NO_CODE])
      expect(headers.get('WWW-Authenticate')).toBe('Bearer')
      expect(await failuresOf(email)).toBe(3)
      expect(await auditedActions(id)).toEqual([])
      await fail(email, ELSEWHERE)
      expect((await login({ email })).status).toBe(429) // no address became known
    },
  )

  it('counts what asks for a code among the ten a minute', async () => {
    const { email, secret } = await newFactorOwner()
    const options = { env: rateLimits() }
    for (let time = 0; time < 10; time++) {
      expect((await login({ email }, options)).status).toBe(401)
    }
    expect((await login({ email, code: codeOf(secret) }, options)).status).toBe(429)
  })

  it.each([0, 1.5, true, ['123456'], { digits: '123456' }])(
    'rejects the code %j, before the password is looked at',
    async (code) => {
      const { email } = await newFactorOwner()
      const { status, body } = await login({ email, password: 'Errada2026', code })
      expect([status, body.errors]).toEqual([
        422,
        { code: ['O campo código deve ser um texto.'] },
      ])
      expect(await failuresOf(email)).toBe(0)
    },
  )

  it.each([
    ['a wrong password and a right code', 'Errada2026', 0],
    ['a wrong code', PASSWORD, null],
    ['a code of two steps ago', PASSWORD, -2],
    ['a code of two steps ahead', PASSWORD, 2],
  ])(
    'answers %s as any wrong login, after as many round trips',
    async (_, password, steps) => {
      const { id, email, secret } = await newFactorOwner()
      const code =
        steps === null ? wrongCodeOf(secret) : codeOf(secret, currentStep() + steps)
      const { status, body, headers } = await login({ email, password, code })
      expect([status, body]).toEqual([401, WRONG])
      expect(headers.get('WWW-Authenticate')).toBe('Bearer')
      expect(logged('info').at(-1)).toMatchObject({ round_trips: 2 })
      expect(await failuresOf(email)).toBe(1)
      expect(await storedUser(id)).toMatchObject({ second_factor_step: null })
      expect(await auditedActions(id)).toEqual([])
    },
  )

  it.each([-1, 1])('takes the code of a clock that is %i step off', async (steps) => {
    const { email, secret } = await newFactorOwner()
    const code = codeOf(secret, currentStep() + steps)
    expect((await login({ email, code })).status).toBe(200)
  })

  it('takes each code once, and none of a step up to the last used one', async () => {
    const { email, secret } = await newFactorOwner()
    const [earlier, code] = [codeOf(secret, currentStep() - 1), codeOf(secret)]
    expect((await login({ email, code })).status).toBe(200)
    for (const used of [code, earlier]) {
      expect((await login({ email, code: used })).body).toEqual(WRONG)
      expect(logged('info').at(-1)).toMatchObject({ round_trips: 2 })
    }
    expect(await failuresOf(email)).toBe(2)
    passSteps(1)
    expect((await login({ email, code })).body).toEqual(WRONG)
    expect((await login({ email, code: codeOf(secret) })).status).toBe(200)
  })

  it('lets one of twenty simultaneous logins with one code in', async () => {
    const { email, secret } = await newFactorOwner()
    const options = { env: { LOGIN_IDENTIFIER_LIMIT: UNLIMITED } }
    const code = codeOf(secret)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => login({ email, code }, options)),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(9)
  })

  it.each([{}, { code: '123456' }])(
    'takes as long for nobody as for a wrong password, with %j',
    async (code) => {
      const { email } = await newFactorOwner()
      const trips = []
      for (const wrong of [{ email, password: 'Errada2026' }, { email: newEmail() }]) {
        expect((await login({ ...wrong, ...code })).body).toEqual(WRONG)
        trips.push(logged('info').at(-1)?.round_trips)
      }
      const roundTrips = 'code' in code ? 2 : 1
      expect(trips).toEqual([roundTrips, roundTrips])
    },
  )

  it('refuses a code whose factor is disabled on the way', async () => {
    const { id, email, secret } = await newFactorOwner()
    const token = await administratorToken()
    const DB = beforeRoundTrips(async (trip) => {
      if (trip !== 2) return
      await callJson(`/administrators/${id}/second-factor`, { method: 'DELETE', token })
    })
    const { body } = await login({ email, code: codeOf(secret) }, { env: { DB } })
    expect(body).toEqual(WRONG)
    expect(await storedUser(id)).toMatchObject({ second_factor_step: null })
  })

  it('locks out after fifty wrong codes, and tells nothing of a right one', async () => {
    const { email, secret } = await newFactorOwner()
    await fail(email, ELSEWHERE, 0, 49)
    expect((await login({ email, code: wrongCodeOf(secret) })).status).toBe(401)
    for (const code of [codeOf(secret), wrongCodeOf(secret), undefined]) {
      expect((await login({ email, code })).status).toBe(429)
    }
  })

  it('looks at the code before the email that must be confirmed', async () => {
    const { id, email, secret } = await newFactorOwner()
    await env.DB.prepare('update users set email_verification_required = 1 where id = ?')
      .bind(id)
      .run()
    expect((await login({ email })).body).toEqual(NO_CODE)
    expect((await login({ email, code: wrongCodeOf(secret) })).body).toEqual(WRONG)
    const { status, body } = await login({ email, code: codeOf(secret) })
    expect([status, body.message]).toEqual([403, 'Confirme seu email antes de entrar.'])
    expect(await failuresOf(email)).toBe(1)
  })
})

describe('POST /v1/auth/login without a second factor', () => {
  it.each(['informer', 'administrator'] as const)(
    'does not look at the code of an %s, and takes no round trip more',
    async (role) => {
      const { email } = await newLogin({ role })
      expect((await login({ email, code: 'no code' })).status).toBe(200)
      expect(logged('info').at(-1)).toMatchObject({ round_trips: 1 })
    },
  )

  it('does not ask for the code of a secret that waits', async () => {
    const { email } = await newFactorOwner({ isWaiting: true })
    expect((await login({ email })).status).toBe(200)
  })
})

describe('a second factor stays', () => {
  it('after a password reset by an emailed link', async () => {
    const { id, email, secret } = await newFactorOwner()
    const token = await newLinkToken(id)
    const password = 'Outra2026'
    const reset = await callJson('/auth/password/reset', { body: { token, password } })
    expect(reset.status).toBe(200)
    expect((await login({ email, password })).body).toEqual(NO_CODE)
    expect((await login({ email, password, code: codeOf(secret) })).status).toBe(200)
  })

  it('after PUT /v1/auth/password, which asks for no code', async () => {
    const { email, token } = await newFactorOwner()
    const password = 'Outra2026'
    const changed = await callJson('/auth/password', {
      method: 'PUT',
      token,
      body: { current_password: PASSWORD, password },
    })
    expect(changed.status).toBe(200)
    expect((await login({ email, password })).body).toEqual(NO_CODE)
  })

  it('after a new email', async () => {
    const { id } = await newFactorOwner()
    const email = newEmail()
    const token = await administratorToken()
    const changed = await callJson(`/administrators/${id}`, {
      method: 'PATCH',
      token,
      body: { email },
    })
    expect(changed.body.data).toMatchObject({ email, has_second_factor: true })
    expect((await login({ email })).body).toEqual(NO_CODE)
  })
})

describe('a change of JWT_SECRET', () => {
  const NEW = 'the secret that replaces the other one'
  const ROTATING = { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: env.JWT_SECRET }
  const ROTATED = { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: '' }

  it('with the former one as JWT_SECRET_PREVIOUS loses nobody’s factor, before and after the trigger', async () => {
    const owner = await newFactorOwner()
    const waiting = await newFactorOwner({ isWaiting: true })
    const enter = (secrets: object) => {
      passSteps(1)
      const code = codeOf(owner.secret)
      return login({ email: owner.email, code }, { env: secrets })
    }
    expect((await enter(ROTATING)).status).toBe(200)
    const before = await storedUser(owner.id)
    await runCron(ROTATING)
    const after = await storedUser(owner.id)
    expect(after?.second_factor_secret).not.toBe(before?.second_factor_secret)
    expect({ ...after, second_factor_secret: '' }).toEqual({
      ...before,
      second_factor_secret: '',
    })
    expect((await enter(ROTATED)).status).toBe(200)

    const token = (await login({ email: waiting.email }, { env: ROTATED })).body.data
      .access_token
    const enabled = await callJson('/auth/second-factor', {
      method: 'PUT',
      token,
      body: { code: codeOf(waiting.secret) },
      env: ROTATED,
    })
    expect(enabled.status).toBe(200)
  })

  it('seals each secret anew once', async () => {
    const { id } = await newFactorOwner()
    await runCron(ROTATING)
    const once = await storedUser(id)
    expect(once?.second_factor_secret).not.toBeNull()
    await runCron(ROTATING)
    expect(await storedUser(id)).toEqual(once)
  })

  it('leaves a secret that was replaced meanwhile', async () => {
    const { id, sealed } = await newFactorOwner()
    await replaceSealedSecret(openDatabase(env.DB), id, 'the one before', 'sealed anew')
    expect(await storedUser(id)).toMatchObject({ second_factor_secret: sealed })
  })

  it('takes one round trip of the trigger where nothing is to be sealed, and none without the former secret', async () => {
    const roundTrips = async (secrets: object) => {
      const { binding, count } = counting()
      await runCron({ ...secrets, DB: binding })
      return count.roundTrips
    }
    await runCron(ROTATING)
    expect((await roundTrips(ROTATING)) - (await roundTrips(ROTATED))).toBe(1)
  })

  it('without the former one makes every code wrong', async () => {
    const { email, secret } = await newFactorOwner()
    const { status, body } = await login(
      { email, code: codeOf(secret) },
      { env: ROTATED },
    )
    expect([status, body]).toEqual([401, WRONG])
    await runCron(ROTATED)
    expect((await login({ email, code: codeOf(secret) })).status).toBe(200)
  })
})

describe('a secret that was copied to another administrator', () => {
  it('opens nothing', async () => {
    const [owner, other] = [await newFactorOwner(), await newFactorOwner()]
    await env.DB.prepare('update users set second_factor_secret = ? where id = ?')
      .bind(owner.sealed, other.id)
      .run()
    const { status } = await login({ email: other.email, code: codeOf(owner.secret) })
    expect(status).toBe(401)
  })
})
