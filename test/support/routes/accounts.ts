import { dayIn, newApiToken } from '../api-tokens.ts'
import { newLinkToken } from '../emails.ts'
import { newLogin, newUser, PASSWORD, PROOF, tokenOfNew, UNLIMITED } from '../helper.ts'
import { codeOf, newFactorOwner } from '../second-factors.ts'
import {
  byAdministrator,
  type Case,
  changing,
  creating,
  type Routes,
  using,
} from './route.ts'
import type { EmailKind } from '#database/schema/emails.ts'

const NEW_PASSWORD = 'Outra2026'

/** Asks for an email to an unverified address. */
async function askingForEmail() {
  const { email } = await newLogin({ verification: 'required' })
  return { body: { email } }
}

/** The body of a request by an emailed link. */
async function byLink(kind: EmailKind, more = {}) {
  const { id } = await newLogin({ verification: 'required' })
  return { body: { token: await newLinkToken(id, kind), ...more } }
}

/** A request of a new informer. */
const byInformer = async () => ({ token: await tokenOfNew(await newUser('informer')) })

export const auth: Routes = {
  'POST /v1/auth/login': {
    guard: 'public',
    withoutSecondFactor: true,
    roundTrips: 1,
    behind: 1,
    request: async () => ({
      body: { email: 'ana@example.org', password: PASSWORD },
      headers: { 'CF-Connecting-IP': crypto.randomUUID() },
      env: { LOGIN_IDENTIFIER_LIMIT: UNLIMITED },
    }),
    variants: {
      'of an administrator': {
        records: ['session.started'],
        request: async () => {
          const { email } = await newLogin({ role: 'administrator' })
          return { body: { email, password: PASSWORD } }
        },
      },
      'with a code': {
        roundTrips: 2,
        records: ['session.started'],
        request: async () => {
          const { email, secret } = await newFactorOwner()
          return { body: { email, password: PASSWORD, code: codeOf(secret) } }
        },
      },
    },
  },
  'POST /v1/auth/refresh': { guard: 'user', roundTrips: 1, request: byInformer },
  'GET /v1/auth/me': {
    guard: 'user',
    withoutSecondFactor: true,
    roundTrips: 1,
    request: byAdministrator(),
  },
  'POST /v1/auth/logout': {
    guard: 'user',
    withoutSecondFactor: true,
    roundTrips: 2,
    records: ['session.ended'],
    request: byInformer,
  },
  'POST /v1/auth/email/verify': {
    guard: 'public',
    roundTrips: 2,
    records: ['email.verified'],
    request: () => byLink('verification'),
  },
  'POST /v1/auth/email/resend': {
    guard: 'public',
    status: 202,
    roundTrips: 1,
    request: askingForEmail,
  },
  'POST /v1/auth/password/forgot': {
    guard: 'public',
    status: 202,
    roundTrips: 1,
    request: askingForEmail,
  },
  'POST /v1/auth/password/reset': {
    guard: 'public',
    roundTrips: 2,
    behind: 1,
    records: ['email.verified', 'password.reset'],
    request: () => byLink('password_reset', { password: NEW_PASSWORD }),
  },
  'PUT /v1/auth/password': {
    guard: 'user',
    withoutSecondFactor: true,
    roundTrips: 3,
    behind: 1,
    records: ['password.changed'],
    request: async () => ({
      token: await tokenOfNew(await newLogin()),
      body: { current_password: PASSWORD, password: NEW_PASSWORD },
    }),
  },
  'POST /v1/auth/second-factor': {
    guard: 'admin',
    withoutSecondFactor: true,
    roundTrips: 3,
    behind: 1,
    request: async () => ({
      token: await tokenOfNew(await newLogin({ role: 'administrator' })),
      body: { current_password: PASSWORD },
    }),
  },
  'PUT /v1/auth/second-factor': {
    guard: 'admin',
    withoutSecondFactor: true,
    roundTrips: 3,
    behind: 1,
    records: ['second_factor.enabled'],
    request: async () => {
      const { token, secret } = await newFactorOwner({ isWaiting: true })
      return { token, body: { code: codeOf(secret) } }
    },
  },
  'DELETE /v1/auth/second-factor': {
    guard: 'admin',
    roundTrips: 3,
    behind: 1,
    records: ['second_factor.disabled'],
    request: async () => {
      const { token, secret } = await newFactorOwner()
      return { token, body: { current_password: PASSWORD, code: codeOf(secret) } }
    },
  },
}

/** A request with the proof of its caller, who has no second factor. */
const proving =
  (request: Case['request']): Case['request'] =>
  async () => {
    const call = await request()
    return { ...call, body: { ...(call.body as object), ...PROOF } }
  }

/** A request of somebody with a second factor. */
const withCode =
  (request: Case['request']): Case['request'] =>
  async () => {
    const [call, { token, secret }] = [await request(), await newFactorOwner()]
    return { ...call, token, body: { ...(call.body as object), code: codeOf(secret) } }
  }

const deleting = proving(using('administrator'))

export const administrators: Routes = {
  'GET /v1/administrators': {
    guard: 'admin',
    roundTrips: 2,
    request: byAdministrator(async () => ({ query: '?search=a' })),
  },
  'GET /v1/administrators/{administrator}': {
    guard: 'admin',
    roundTrips: 2,
    request: using('administrator'),
  },
  'POST /v1/administrators': {
    guard: 'admin',
    status: 201,
    roundTrips: 4,
    behind: 1,
    records: ['administrator.created'],
    request: proving(creating('administrator')),
  },
  'PATCH /v1/administrators/{administrator}': {
    guard: 'admin',
    roundTrips: 5,
    behind: 1,
    records: ['administrator.updated'],
    request: proving(changing('administrator')),
    variants: {
      'that needs no proof': {
        roundTrips: 3,
        behind: 0,
        request: async () => ({
          ...(await using('administrator')()),
          body: { phone: '1' },
        }),
      },
    },
  },
  'DELETE /v1/administrators/{administrator}': {
    guard: 'admin',
    roundTrips: 4,
    behind: 1,
    records: ['administrator.deleted'],
    request: deleting,
    variants: { 'with a code': { roundTrips: 5, request: withCode(deleting) } },
  },
  'DELETE /v1/administrators/{administrator}/sessions': {
    guard: 'admin',
    roundTrips: 2,
    records: ['session.ended'],
    request: using('administrator'),
  },
  'DELETE /v1/administrators/{administrator}/second-factor': {
    guard: 'admin',
    roundTrips: 3,
    behind: 1,
    records: ['second_factor.disabled', 'session.ended'],
    request: byAdministrator(async () => ({
      ids: [(await newFactorOwner()).id],
      body: PROOF,
    })),
  },
}

const usingApiToken = byAdministrator(async () => ({
  ids: [(await newApiToken(['lists:write'])).id],
}))

const creatingApiToken = byAdministrator(async () => ({
  body: {
    ...PROOF,
    name: 'Programa',
    scopes: ['lists:write'],
    expires_on: dayIn(366),
  },
}))

export const apiTokens: Routes = {
  'GET /v1/api-tokens': { guard: 'admin', roundTrips: 2, request: byAdministrator() },
  'GET /v1/api-tokens/{api_token}': {
    guard: 'admin',
    roundTrips: 2,
    request: usingApiToken,
  },
  'POST /v1/api-tokens': {
    guard: 'admin',
    status: 201,
    roundTrips: 3,
    behind: 1,
    records: ['api_token.created'],
    request: creatingApiToken,
    variants: { 'with a code': { roundTrips: 4, request: withCode(creatingApiToken) } },
  },
  'DELETE /v1/api-tokens/{api_token}': {
    guard: 'admin',
    roundTrips: 2,
    records: ['api_token.deleted'],
    request: usingApiToken,
  },
}
