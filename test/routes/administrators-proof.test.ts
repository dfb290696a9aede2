import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { dayIn } from '../support/api-tokens.ts'
import { newEmail, newLinkToken } from '../support/emails.ts'
import { heldBody } from '../support/ended-sessions.ts'
import { ELSEWHERE, fail, failuresOf, TOO_MANY } from '../support/failed-logins.ts'
import {
  beforeRoundTrips,
  type Call,
  callJson,
  newLogin,
  PASSWORD,
  PROOF,
  tokenFor,
  UNKNOWN_ID,
  UNLIMITED,
} from '../support/helper.ts'
import { send } from '../support/processes.ts'
import {
  codeOf,
  currentStep,
  newFactorOwner,
  passSteps,
  stopClock,
  wrongCodeOf,
} from '../support/second-factors.ts'
import { storedRows } from '../support/stored.ts'
import { auditedActions, giveCpf, storedUser } from '../support/users.ts'

const NEW = 'Outra2026'
const WRONG = { current_password: ['A senha atual está incorreta.'] }
const MISSING = { current_password: ['O campo senha atual é obrigatório.'] }
const NO_TEXT = { current_password: ['O campo senha atual deve ser um texto.'] }
const MISSING_CODE = { code: ['O campo código é obrigatório.'] }
const WRONG_CODE = { code: ['O código é inválido.'] }

type Administrator = Awaited<ReturnType<typeof newLogin>>

const newAdministrator = () => newLogin({ role: 'administrator' })

/** Sends a request of an administrator. Bytes, because the document allows only a proof of texts. */
const by = async (
  user: Administrator,
  method: string,
  path: string,
  body: object,
  options: Call = {},
) =>
  callJson(path.startsWith('/api-tokens') ? path : `/administrators${path}`, {
    method,
    token: await tokenFor(user),
    body: new TextEncoder().encode(JSON.stringify(body)),
    ...options,
    env: { LOGIN_IDENTIFIER_LIMIT: UNLIMITED, ...options.env },
  })

const patchOneself = (user: Administrator, body: object, options?: Call) =>
  by(user, 'PATCH', `/${user.id}`, body, options)

const API_TOKEN = { name: 'Programa', scopes: ['lists:write'], expires_on: dayIn(1) }

/** The writes that need a proof: of a new administrator, of another, of oneself, and a token. */
const WRITES: [name: string, method: string, path: string, body: object][] = [
  ['POST', 'POST', '', { first_name: 'Rita', email: 'EMAIL' }],
  ['PATCH of a password', 'PATCH', '/OTHER', { password: NEW }],
  ['PATCH of no password', 'PATCH', '/OTHER', { password: null }],
  ['PATCH of an email', 'PATCH', '/OTHER', { email: 'EMAIL' }],
  ['PATCH of a CPF', 'PATCH', '/OTHER', { cpf: null }],
  ['PATCH of one’s own password', 'PATCH', '/ONESELF', { password: NEW }],
  ['PATCH of one’s own CPF', 'PATCH', '/ONESELF', { cpf: null }],
  ['DELETE', 'DELETE', '/OTHER', {}],
  ['DELETE of a second factor', 'DELETE', '/OTHER/second-factor', {}],
  ['POST of an API token', 'POST', '/api-tokens', API_TOKEN],
]

describe.each(WRITES)('%s with a proof', (_, method, pattern, body) => {
  async function newWrite(user: Administrator) {
    const other = await newFactorOwner()
    for (const { id } of [user, other]) await giveCpf(id)
    const fields = 'email' in body ? { ...body, email: newEmail() } : body
    const path = pattern.replace('OTHER', other.id).replace('ONESELF', user.id)
    return (proof: object, options?: Call) =>
      by(user, method, path, { ...fields, ...proof }, options)
  }
  const success = method === 'POST' ? 201 : 200

  it('needs the current password of the caller, and counts a wrong one', async () => {
    const user = await newAdministrator()
    const write = await newWrite(user)
    const { failed_logins: before, ...rows } = await storedRows()
    const sent: [object, object][] = [
      [{}, MISSING],
      [{ current_password: null }, MISSING],
      [{ current_password: '' }, MISSING],
      [{ current_password: 1 }, NO_TEXT],
      [{ ...PROOF, code: 123456 }, { code: ['O campo código deve ser um texto.'] }],
      [{ current_password: 'Errada2026', code: 'nenhum' }, WRONG],
    ]
    for (const [proof, errors] of sent) {
      const response = await write(proof)
      expect([proof, response.status, response.body]).toEqual([
        proof,
        422,
        { message: 'Os dados fornecidos são inválidos.', errors },
      ])
    }
    const { failed_logins: after, ...same } = await storedRows()
    expect([same, after === before]).toEqual([rows, false])
    expect(await failuresOf(user.email)).toBe(1)

    const { status, body: done } = await write({ ...PROOF, code: 'nenhum' })
    expect([status, JSON.stringify(done).includes('access_token')]).toEqual([
      success,
      false,
    ])
    expect(await failuresOf(user.email)).toBe(1)
  })

  it('needs a code beside it where the caller has a second factor, and uses it up', async () => {
    stopClock()
    const owner = await newFactorOwner()
    const write = await newWrite(owner)
    const code = codeOf(owner.secret)
    for (const none of [undefined, null, '', ' ']) {
      expect((await write({ ...PROOF, code: none })).body.errors).toEqual(MISSING_CODE)
    }
    const wrong = { ...PROOF, code: wrongCodeOf(owner.secret) }
    expect((await write(wrong)).body.errors).toEqual(WRONG_CODE)
    expect((await write({ current_password: 'x', code })).body.errors).toEqual(WRONG)
    expect(await failuresOf(owner.email)).toBe(2)

    expect((await write({ ...PROOF, code: ` ${code}` })).status).toBe(success)
    expect((await storedUser(owner.id))?.second_factor_step).toBe(currentStep())
  })

  it('discloses nothing while the caller is locked out', async () => {
    const user = await newAdministrator()
    const write = await newWrite(user)
    await fail(user.email, ELSEWHERE)
    for (const current_password of [PASSWORD, 'Errada2026']) {
      const { status, body: refused, headers } = await write({ current_password })
      expect([status, refused]).toEqual([429, TOO_MANY])
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(890)
    }
  })
})

describe('the proof', () => {
  beforeEach(stopClock)

  it('is looked at where all else is valid, and reported missing beside all that is not', async () => {
    const [user, other] = [await newAdministrator(), await newAdministrator()]
    for (const [method, path, body, fields] of [
      ['POST', '', { first_name: '', email: other.email }, ['email', 'first_name']],
      ['PATCH', `/${user.id}`, { email: other.email, phone: 1 }, ['email', 'phone']],
      ['PATCH', `/${other.id}`, { email: 'x', cpf: null }, ['email']],
      ['PATCH', `/${other.id}`, { email: null }, ['email']],
      ['PATCH', `/${other.id}`, { password: 'Senha123' }, ['password']],
      ['POST', '/api-tokens', { ...API_TOKEN, name: '' }, ['name']],
    ] as const) {
      const wrong = await by(user, method, path, { ...body, current_password: 'x' })
      expect(Object.keys(wrong.body.errors).toSorted()).toEqual(fields)
      const missing = await by(user, method, path, body)
      expect(missing.body.errors).toMatchObject(MISSING)
      expect(Object.keys(missing.body.errors)).toHaveLength(fields.length + 1)
    }
    expect(await failuresOf(user.email)).toBe(0)
  })

  it('comes before 404 and 412, behind which the code is used up', async () => {
    const owner = await newFactorOwner()
    const { id } = await newAdministrator()
    const informer = (await newLogin()).email
    for (const [status, method, path, body = {}] of [
      [404, 'DELETE', `/${UNKNOWN_ID}`],
      [404, 'DELETE', '/x/second-factor'],
      [404, 'PATCH', `/${UNKNOWN_ID}`, { email: informer.replace(/@/, '1@') }],
      [404, 'PATCH', `/${UNKNOWN_ID}`, { cpf: null }],
      [412, 'PATCH', `/${id}`, { cpf: '52998224725' }],
      [412, 'DELETE', `/${id}`],
    ] as const) {
      const headers = { 'If-Match': '"x"' }
      const write = (proof: object) =>
        by(owner, method, path, { ...body, ...proof }, { headers })
      expect((await write({})).body.errors).toEqual({ ...MISSING, ...MISSING_CODE })
      const proof = { ...PROOF, code: codeOf(owner.secret) }
      expect((await write(proof)).status).toBe(status)
      expect((await write(proof)).body.errors).toEqual(WRONG_CODE)
      passSteps(1)
    }
  })

  it.each([
    ['', 'Um administrador não pode excluir a si mesmo.'],
    ['/second-factor', 'Desative o próprio segundo fator com a senha e um código.'],
  ])('is not asked for, nor a body, by DELETE of oneself%s', async (path, message) => {
    const user = await newAdministrator()
    const own = `/${user.id.toUpperCase()}${path}`
    const { status, body } = await by(user, 'DELETE', own, {}, { body: '{' })
    expect([status, body.message]).toEqual([409, message])
    const other = `/${(await newAdministrator()).id}${path}`
    const without = { body: undefined }
    expect((await by(user, 'DELETE', other, {}, without)).status).toBe(400)
  })

  it('is not looked at where nothing needs it', async () => {
    const [user, other] = [await newAdministrator(), await newAdministrator()]
    for (const [current_password, code] of [
      [1, 2],
      ['', ''],
      ['Errada2026', 'x'],
      [null, {}],
    ]) {
      for (const { id, email } of [user, other]) {
        const same = { email: ` ${email.toUpperCase()} `, cpf: null, phone: '1' }
        const sent = { ...same, current_password, code }
        expect((await by(user, 'PATCH', `/${id}`, sent)).status).toBe(200)
      }
      const { body } = await patchOneself(user, { current_password, code })
      expect(body.errors).toEqual({ body: ['Informe ao menos um campo.'] })
    }
    expect(await failuresOf(user.email)).toBe(0)
  })

  it('is locked out by ten wrong codes a day, also for a right one', async () => {
    const owner = await newFactorOwner()
    const { id } = await newAdministrator()
    const remove = (code: string) => by(owner, 'DELETE', `/${id}`, { ...PROOF, code })
    for (let time = 0; time < 10; time++) {
      expect((await remove(wrongCodeOf(owner.secret))).body.errors).toEqual(WRONG_CODE)
    }
    const { status, headers } = await remove(codeOf(owner.secret))
    expect(status).toBe(429)
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(86_000)
    expect(await storedUser(id)).not.toBeNull()
  })

  it('opens one write, of many with its code at once', async () => {
    const owner = await newFactorOwner()
    const code = codeOf(owner.secret)
    const others = await Promise.all(Array.from({ length: 5 }, newAdministrator))
    const responses = await Promise.all(
      others.map(({ id }) => by(owner, 'DELETE', `/${id}`, { ...PROOF, code })),
    )
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, 422, 422, 422, 422])
  })
})

describe('POST /v1/administrators with a known Idempotency-Key', () => {
  beforeEach(stopClock)

  it.each(['who is there', 'whose email is another', 'who is deleted'])(
    'asks for no proof, uses no code and counts none, of one %s',
    async (state) => {
      const owner = await newFactorOwner()
      const proof = { ...PROOF, code: codeOf(owner.secret) }
      const person = { first_name: 'Rita', email: newEmail() }
      const headers = { 'Idempotency-Key': crypto.randomUUID() }
      const post = (more: object) =>
        by(owner, 'POST', '', { ...person, ...more }, { headers })
      const created = await post(proof)
      expect(created.status).toBe(201)
      const path = `/administrators/${created.body.data.id}`
      if (state === 'whose email is another') {
        await send('PATCH', path, { email: newEmail() })
      }
      if (state === 'who is deleted') await send('DELETE', path)

      passSteps(1)
      await fail(owner.email, ELSEWHERE)
      const before = await storedRows()
      const unused = { ...PROOF, code: codeOf(owner.secret) }
      for (const other of [
        proof,
        unused,
        {},
        { current_password: 'Errada2026', code: '1' },
        { current_password: 1, code: [] },
      ]) {
        const { status, body } = await post(other)
        if (state === 'who is deleted') expect(status).toBe(409)
        else expect([status, body.data.id]).toEqual([201, created.body.data.id])
      }
      const { status, body } = await post({ last_name: 'Prado' })
      expect([status, Object.keys(body.errors)]).toEqual([422, ['Idempotency-Key']])
      expect(await storedRows()).toEqual(before)
    },
  )
})

describe('what changes between guard, check and write', () => {
  it.each(['oneself', 'another'])(
    'needs a proof: a held PATCH of %s with the former CPF',
    async (who) => {
      const user = await newAdministrator()
      const { id } = who === 'oneself' ? user : await newAdministrator()
      const former = await giveCpf(id)
      await env.DB.prepare("update users set cpf = '39053344705' where id = ?")
        .bind(id)
        .run()
      const body = { cpf: '39053344705' }
      const change = () => giveCpf(id)
      for (const options of [
        { body: heldBody(body, change) },
        { body, env: { DB: beforeRoundTrips((trip) => trip === 3 && change()) } },
      ]) {
        await env.DB.prepare('update users set cpf = ? where id = ?')
          .bind(body.cpf, id)
          .run()
        const held = await by(user, 'PATCH', `/${id}`, {}, options)
        expect([held.status, held.body.errors]).toEqual([422, MISSING])
        expect(await storedUser(id)).not.toMatchObject({ cpf: body.cpf })
      }
      expect(former).not.toBe(body.cpf)
    },
  )

  it('is proved by what was sent, which nothing had needed before', async () => {
    const [user, { id, email }] = [await newAdministrator(), await newAdministrator()]
    const changing = () => ({
      DB: beforeRoundTrips(
        (trip) =>
          trip === 3 &&
          env.DB.prepare(
            'update users set email = ?, revision = revision + 1 where id = ?',
          )
            .bind(newEmail(), id)
            .run(),
      ),
    })
    const patch = (current_password: string) =>
      by(user, 'PATCH', `/${id}`, { email, current_password }, { env: changing() })
    expect((await patch('Errada2026')).body.errors).toEqual(WRONG)
    await env.DB.prepare('update users set email = ? where id = ?').bind(email, id).run()
    const { status, body } = await patch(PASSWORD)
    expect([status, body.data.email]).toEqual([200, email])
  })
})

describe('PATCH /v1/administrators/{administrator} of oneself', () => {
  it('ends all sessions, and makes no address known', async () => {
    const user = await newAdministrator()
    const token = await tokenFor(user)
    const email = newEmail()
    const sent = { ...PROOF, password: NEW, email }
    expect((await patchOneself(user, sent)).body.data).toMatchObject({ email })
    expect((await callJson('/administrators', { token })).status).toBe(401)
    expect(await auditedActions(user.id, user.id)).toEqual([
      'administrator.updated',
      'password.changed',
    ])
    await fail(email, ELSEWHERE)
    const login = await callJson('/auth/login', { body: { email, password: NEW } })
    expect(login.status).toBe(429)
  })

  it('removes a CPF, forgets no failed login and ends no session', async () => {
    const user = await newAdministrator()
    const cpf = await giveCpf(user.id)
    await fail(cpf)
    const token = await tokenFor(user)
    expect((await patchOneself(user, { cpf: null })).body.errors).toEqual(MISSING)
    const removed = await patchOneself(user, { cpf: null, ...PROOF })
    expect([removed.status, removed.body.data.cpf]).toEqual([200, null])
    expect(await failuresOf(cpf)).toBe(50)
    expect((await callJson('/auth/me', { token })).status).toBe(200)
  })
})

describe('a password that came by a link', () => {
  /** An administrator whose password came by a link, or not. */
  async function newOwner(way: 'link' | 'office') {
    const user = await newAdministrator()
    if (way === 'office') return { ...user, password: PASSWORD }
    const reset = { token: await newLinkToken(user.id), password: NEW }
    await callJson('/auth/password/reset', { body: reset })
    return { ...user, password: NEW }
  }

  it.each([
    ['link', 'oneself', 1],
    ['office', 'oneself', 0],
    ['link', 'another administrator', 0],
  ] as const)(
    'from %s, then changed by %s, ends with the email: %i',
    async (way, by, byLink) => {
      const user = await newOwner(way)
      const path = `/administrators/${user.id}`
      const { body } =
        by === 'oneself'
          ? await patchOneself(user, {
              password: 'Terceira2026',
              current_password: user.password,
              email: newEmail(),
            })
          : await send('PATCH', path, { password: 'Terceira2026' })
      expect(body.data.has_password).toBe(true)
      expect(await storedUser(user.id)).toMatchObject({ password_by_link: byLink })
      const corrected = await send('PATCH', path, { email: newEmail() })
      expect(corrected.body.data.has_password).toBe(byLink === 0)
    },
  )
})
