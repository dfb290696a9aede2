import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { dayIn, newApiToken } from './api-tokens.ts'
import { ENTRY } from './changelogs.ts'
import { newLinkToken } from './emails.ts'
import {
  type Call,
  newLogin,
  newUser,
  PASSWORD,
  tokenOfNew,
  tokenOf,
  UNLIMITED,
} from './helper.ts'
import { createProcess, newMember } from './processes.ts'
import {
  create,
  pathOf,
  referenceLists,
  type Resource,
  resources,
  stored,
} from './resources.ts'
import { codeOf, newFactorOwner } from './second-factors.ts'
import { IS_OF_WRITE } from './users.ts'
import type { EmailKind } from '#database/schema.ts'
import type { RoleSlug } from '#domain/roles.ts'
import { keyedHash } from '#security/hashes.ts'

/** A request, the statuses of its first and repeated response, and the expected rows. */
export type TestRequest = {
  path: string
  call: Call
  status: number
  /** The status of the repeated request; `status` by default. */
  repeated?: number | undefined
  /** The number of written rows: 0 or 1 at any time. */
  written?: () => Promise<number>
  /** The number of its audit records. */
  recorded?: () => Promise<number>
}

export const count = async (sql: string, ...values: string[]) =>
  (await env.DB.prepare(sql)
    .bind(...values)
    .first<number>('n')) ?? 0

const newHash = () => crypto.randomUUID().replaceAll('-', '')

async function newEntry(): Promise<string> {
  const id = crypto.randomUUID()
  await env.DB.prepare(
    "insert into changelogs (id, version, date, title, description, category, git_commit_hash) values (?, 'v9.9.9', '2026-01-31', 'Um', 'Dois', 'Melhoria', ?)",
  )
    .bind(id, newHash())
    .run()
  return id
}

const newInformer = async () => (await newLogin()).id

const idOf = async (table: string) =>
  (await env.DB.prepare(`select id from ${table} limit 1`).first<string>('id')) ?? ''

/** An informer, and a questionnaire of their group. */
async function newAssociated({ isCompleted = false } = {}) {
  const [id, questionnaire] = [await newInformer(), await idOf('questionnaires')]
  const insert = (sql: string) => env.DB.prepare(sql).bind(id, questionnaire).run()
  await insert(
    `insert into informer_groups (informer_id, group_id, process_id, name_folded)
     select ?, groups.id, process_id, 'teste' from questionnaires
     join groups on groups.id = group_id where questionnaires.id = ?`,
  )
  if (isCompleted) {
    await insert(
      'insert into informer_completions (informer_id, questionnaire_id) values (?, ?)',
    )
  }
  return { id, questionnaire }
}

/** An informer with an unverified email, and the token of its verification link. */
export async function newWaiting(kind: EmailKind = 'verification') {
  const { id, email } = await newLogin({ verification: 'required' })
  const token = await newLinkToken(id, kind)
  return { id, email, token, ...sessionsOf(id) }
}

/** How often the sessions of a user were ended, and how often this was recorded. */
const sessionsOf = (id: string) => ({
  written: () => count('select token_version - 1 as n from users where id = ?', id),
  recorded: () => recordsOf(id),
})

/** How many requests of an actor left audit records of writes. */
const recordsOf = (actorId: string) =>
  count(
    `select count(distinct request_id) as n from audit_events
     where actor_id = ? and ${IS_OF_WRITE}`,
    actorId,
  )

/** An administrator with a count of its audit records. */
async function newActor() {
  const user = await newUser('administrator')
  return { token: await tokenOfNew(user), recorded: () => recordsOf(user.id) }
}

/** Counts the rows of a `from` clause, or those that are gone of one. */
const rows =
  (from: string, ...values: string[]) =>
  () =>
    count(`select count(*) as n from ${from}`, ...values)
const gone =
  (from: string, ...values: string[]) =>
  async () =>
    1 - (await rows(from, ...values)())

type NewRequest = () => Promise<TestRequest>

/** A read, by default of an administrator. */
const reading =
  (
    path: string | (() => Promise<string>),
    user: string | null = 'admin@example.org',
  ): NewRequest =>
  async () => ({
    path: typeof path === 'string' ? path : await path(),
    call: user === null ? {} : { token: await tokenOf(user) },
    status: 200,
  })

type Write = Pick<TestRequest, 'path' | 'repeated' | 'written'> & {
  status?: number
} & Call

/**
 * A write of an administrator of its own, which is recorded. A body makes it a POST that creates.
 */
const writing =
  (newWrite: () => Promise<Write>): NewRequest =>
  async () => {
    const { token, recorded } = await newActor()
    const { path, status = 201, repeated, written, ...call } = await newWrite()
    return {
      path,
      call: { token, ...call },
      status: call.method ? 200 : status,
      repeated,
      recorded,
      ...(written && { written }),
    }
  }

/** An email that anybody asks for. */
const enqueueing =
  (path: string): NewRequest =>
  async () => {
    const { email } = await newWaiting()
    const written = rows('email_outbox where email = ?', email)
    return { path, call: { body: { email } }, status: 202, written }
  }

/** The end of another's sessions. */
const endingSessions = (role: RoleSlug): NewRequest =>
  writing(async () => {
    const { id } = await newUser(role)
    return {
      path: `/${role}s/${id}/sessions`,
      method: 'DELETE',
      written: rows('users where id = ? and token_version > 1', id),
    }
  })

/** The requests to read, create, change and delete one of a resource. */
function requestsOf(resource: Resource): [string, NewRequest][] {
  const { path, type, table, unique, newBody, newPath = async () => path } = resource
  const creating = (headers: Record<string, string>, repeated: number) =>
    writing(async () => {
      const body = newBody()
      const written = async () => {
        const row = await stored(resource, body[unique])
        const made =
          'questionnaires join groups on groups.id = group_id where ? in (groups.id, process_id)'
        if (row && (body.groups ?? body.questionnaires)) {
          expect(await rows(made, String(row.id))()).toBe(1) // with what it is made with
        }
        return row ? 1 : 0
      }
      return { path: await newPath(), body, headers, repeated, written }
    })
  const one = `/v1${pathOf(resource, `{${type}}`)}`
  const newOne = async () => {
    const { id } = await create(resource)
    return { id, path: pathOf(resource, id) }
  }
  const isPublic = referenceLists.some((list) => list.type === type)
  const read = reading(async () => (await newOne()).path, isPublic ? null : undefined)
  return [
    ...(resource.newPath ? [] : [[`GET ${one}`, read] as [string, NewRequest]]),
    [`POST /v1${path}`, creating({}, 422)], // what is unique is taken
    [
      `POST /v1${path} with an Idempotency-Key`,
      creating({ 'Idempotency-Key': 'one' }, 201),
    ],
    [
      `PATCH ${one}`,
      writing(async () => {
        const { id, path } = await newOne()
        const body = { [unique]: newBody()[unique] }
        const written = rows(
          `${table} where id = ? and ${unique} = ?`,
          id,
          String(body[unique]),
        )
        return { path, method: 'PATCH', body, written }
      }),
    ],
    [
      `DELETE ${one}`,
      writing(async () => {
        const { id, path } = await newOne()
        return {
          path,
          method: 'DELETE',
          repeated: 404,
          written: gone(`${table} where id = ?`, id),
        } // it is deleted
      }),
    ],
  ]
}

/** A new request of every route. */
export const requests: Record<string, NewRequest> = {
  ...Object.fromEntries(resources.flatMap(requestsOf)),
  ...Object.fromEntries(
    referenceLists.map(({ path }) => [`GET /v1${path}`, reading(path, null)]),
  ),
  'GET /v1/health': reading('/health', null),
  'GET /v1/cover': reading('/cover', 'ana@example.org'),
  'GET /v1/cover/questionnaires': reading('/cover/questionnaires', 'ana@example.org'),
  'GET /v1/auth/me': reading('/auth/me'),
  'POST /v1/auth/login': async () => ({
    path: '/auth/login',
    call: {
      body: { email: 'ana@example.org', password: PASSWORD },
      headers: { 'CF-Connecting-IP': crypto.randomUUID() },
      env: { LOGIN_IDENTIFIER_LIMIT: UNLIMITED },
    },
    status: 200,
  }),
  'POST /v1/auth/login of an administrator': async () => {
    const { id, email } = await newLogin({ role: 'administrator' })
    const identifier = keyedHash(env.JWT_SECRET, 'identifier', email)
    return {
      path: '/auth/login',
      call: { body: { email, password: PASSWORD } },
      status: 200,
      written: rows('known_addresses where identifier = ?', identifier),
      recorded: () => recordsOf(id),
    }
  },
  'POST /v1/auth/login with a code': async () => {
    const { id, email, secret } = await newFactorOwner()
    return {
      path: '/auth/login',
      call: { body: { email, password: PASSWORD, code: codeOf(secret) } },
      status: 200,
      repeated: 401, // the code is used
      written: rows('users where id = ? and second_factor_step is not null', id),
    }
  },
  'POST /v1/auth/email/verify': async () => {
    const { id, token } = await newWaiting()
    return {
      path: '/auth/email/verify',
      call: { body: { token } },
      status: 200,
      repeated: 422, // the token is used
      written: rows('users where id = ? and email_verified_at is not null', id),
    }
  },
  'POST /v1/auth/email/resend': enqueueing('/auth/email/resend'),
  'POST /v1/auth/password/forgot': enqueueing('/auth/password/forgot'),
  'POST /v1/auth/password/reset': async () => {
    const { token, written, recorded } = await newWaiting('password_reset')
    return {
      path: '/auth/password/reset',
      call: { body: { token, password: 'Outra2026' } },
      status: 200,
      repeated: 422, // the token is used
      written,
      recorded,
    }
  },
  'PUT /v1/auth/password': async () => {
    const user = await newLogin()
    return {
      path: '/auth/password',
      call: {
        method: 'PUT',
        token: await tokenOfNew(user),
        body: { current_password: PASSWORD, password: 'Outra2026' },
      },
      status: 200,
      repeated: 401, // the session is ended
      ...sessionsOf(user.id),
    }
  },
  'POST /v1/auth/refresh': async () => ({
    path: '/auth/refresh',
    call: { method: 'POST', token: await tokenOfNew(await newUser('informer')) },
    status: 200,
  }),
  'POST /v1/auth/logout': async () => {
    const user = await newUser('informer')
    return {
      path: '/auth/logout',
      call: { method: 'POST', token: await tokenOfNew(user) },
      status: 200,
      repeated: 401, // the session is ended
      ...sessionsOf(user.id),
    }
  },
  'POST /v1/auth/second-factor': async () => {
    const user = await newLogin({ role: 'administrator' })
    return {
      path: '/auth/second-factor',
      call: { token: await tokenOfNew(user), body: { current_password: PASSWORD } },
      status: 200,
      written: rows('users where id = ? and second_factor_secret is not null', user.id),
    }
  },
  'PUT /v1/auth/second-factor': async () => {
    const { id, token, secret } = await newFactorOwner({ isWaiting: true })
    return {
      path: '/auth/second-factor',
      call: { method: 'PUT', token, body: { code: codeOf(secret) } },
      status: 200,
      repeated: 401, // the session is ended
      ...sessionsOf(id),
    }
  },
  'DELETE /v1/auth/second-factor': async () => {
    const { id, token, secret } = await newFactorOwner()
    return {
      path: '/auth/second-factor',
      call: {
        method: 'DELETE',
        token,
        body: { current_password: PASSWORD, code: codeOf(secret) },
      },
      status: 200,
      repeated: 401, // the session is ended
      ...sessionsOf(id),
    }
  },
  'DELETE /v1/administrators/{administrator}/second-factor': writing(async () => {
    const { id } = await newFactorOwner()
    return {
      path: `/administrators/${id}/second-factor`,
      method: 'DELETE',
      written: rows('users where id = ? and second_factor_secret is null', id),
    }
  }),
  'PATCH /v1/administrators/{administrator} of oneself': async () => {
    const user = await newLogin({ role: 'administrator' })
    return {
      path: `/administrators/${user.id}`,
      call: {
        method: 'PATCH',
        token: await tokenOfNew(user),
        body: { current_password: PASSWORD, password: 'Outra2026' },
      },
      status: 200,
      repeated: 401, // the session is ended
      ...sessionsOf(user.id),
    }
  },
  'GET /v1/api-tokens': reading('/api-tokens'),
  'GET /v1/api-tokens/{api_token}': reading(
    async () => `/api-tokens/${(await newApiToken(['lists:write'])).id}`,
  ),
  'POST /v1/api-tokens': async () => {
    const { id, token, secret } = await newFactorOwner()
    return {
      path: '/api-tokens',
      call: {
        token,
        body: {
          current_password: PASSWORD,
          code: codeOf(secret),
          name: 'Programa',
          scopes: ['lists:write'],
          expires_on: dayIn(366),
        },
      },
      status: 201,
      repeated: 422, // the code is used
      written: rows('api_tokens where created_by = ?', id),
      recorded: () => recordsOf(id),
    }
  },
  'DELETE /v1/api-tokens/{api_token}': writing(async () => {
    const { id } = await newApiToken(['lists:write'])
    const written = gone('api_tokens where id = ?', id)
    return { path: `/api-tokens/${id}`, method: 'DELETE', repeated: 404, written } // it is deleted
  }),
  'GET /v1/audit-events': reading('/audit-events'),
  'POST /v1/informers': writing(async () => {
    const email = `${newHash()}@example.org`
    return {
      path: '/informers',
      body: { first_name: 'Davi', email, group_id: await idOf('groups') },
      repeated: 422, // the email is registered
      written: async () => {
        const informers = await rows('users where email = ?', email)()
        const whole = rows(
          'users join informer_groups on informer_id = users.id where email = ?',
          email,
        )
        expect(await whole()).toBe(informers)
        return informers
      },
    }
  }),
  'GET /v1/informers': reading('/informers?search=a'),
  'PATCH /v1/informers/{informer}': writing(async () => {
    const id = await newInformer()
    return {
      path: `/informers/${id}`,
      method: 'PATCH',
      body: { first_name: 'Ana', cpf: null },
      written: rows("users where id = ? and initials = 'A'", id),
    }
  }),
  'DELETE /v1/informers/{informer}/sessions': endingSessions('informer'),
  'DELETE /v1/administrators/{administrator}/sessions': endingSessions('administrator'),
  'PUT /v1/informers/{informer}/groups/{group}': writing(async () => {
    const id = await newInformer()
    const path = `/informers/${id}/groups/${await idOf('groups')}`
    return {
      path,
      method: 'PUT',
      written: rows('informer_groups where informer_id = ?', id),
    }
  }),
  'DELETE /v1/informers/{informer}/groups/{group}': writing(async () => {
    const { id, questionnaire } = await newAssociated()
    const group = await env.DB.prepare('select group_id from questionnaires where id = ?')
      .bind(questionnaire)
      .first<string>('group_id')
    const written = gone('informer_groups where informer_id = ?', id)
    return { path: `/informers/${id}/groups/${group}`, method: 'DELETE', written }
  }),
  'PUT /v1/informers/{informer}/questionnaires/{questionnaire}': writing(async () => {
    const { id, questionnaire } = await newAssociated()
    const written = rows('informer_completions where informer_id = ?', id)
    return {
      path: `/informers/${id}/questionnaires/${questionnaire}`,
      method: 'PUT',
      written,
    }
  }),
  'DELETE /v1/informers/{informer}/questionnaires/{questionnaire}': writing(async () => {
    const { id, questionnaire } = await newAssociated({ isCompleted: true })
    const written = gone('informer_completions where informer_id = ?', id)
    return {
      path: `/informers/${id}/questionnaires/${questionnaire}`,
      method: 'DELETE',
      written,
    }
  }),
  'GET /v1/administrators': reading('/administrators?search=a'),
  'GET /v1/processes': reading('/processes'),
  'POST /v1/processes with the groups of another': writing(async () => {
    const { id } = await createProcess()
    const protocol = newHash()
    const copied = 'processes join groups on process_id = processes.id where protocol = ?'
    return {
      path: '/processes',
      body: { name: 'Sé', protocol, groups_of: id },
      repeated: 422, // the protocol is taken
      written: rows(copied, protocol),
    }
  }),
  'DELETE /v1/processes/{process}/informers': writing(async () => {
    const { id, groups } = await createProcess()
    await newMember(groups[0].id)
    const written = gone('informer_groups where process_id = ?', id)
    return { path: `/processes/${id}/informers`, method: 'DELETE', written }
  }),
  'POST /v1/changelogs/publish': writing(async () => {
    const id = await newEntry()
    const written = rows('changelogs where id = ? and is_published', id)
    return { path: '/changelogs/publish', status: 200, body: { ids: [id] }, written }
  }),
  'GET /v1/changelogs': reading('/changelogs', null),
  'GET /v1/changelogs of an administrator': reading('/changelogs'),
  'GET /v1/changelogs/{changelog}': reading(
    async () => `/changelogs/${await newEntry()}`,
  ),
  'POST /v1/changelogs': writing(async () => {
    const git_commit_hash = newHash()
    return {
      path: '/changelogs',
      body: { ...ENTRY, git_commit_hash },
      repeated: 422, // the commit is taken
      written: rows('changelogs where git_commit_hash = ?', git_commit_hash),
    }
  }),
  'POST /v1/changelogs with an Idempotency-Key': writing(async () => {
    const title = newHash()
    return {
      path: '/changelogs',
      body: { ...ENTRY, title },
      headers: { 'Idempotency-Key': 'one' },
      written: rows('changelogs where title = ?', title),
    }
  }),
  'PUT /v1/changelogs/{changelog}': writing(async () => {
    const id = await newEntry()
    const written = rows("changelogs where id = ? and title = 'Outro'", id)
    return { path: `/changelogs/${id}`, method: 'PUT', body: { title: 'Outro' }, written }
  }),
  'DELETE /v1/changelogs/{changelog}': writing(async () => {
    const id = await newEntry()
    const written = gone('changelogs where id = ?', id)
    return { path: `/changelogs/${id}`, method: 'DELETE', repeated: 404, written } // it is deleted
  }),
  'POST /v1/changelogs/sync-from-git': writing(async () => {
    const hash = newHash()
    const commits = [{ hash, message: 'feat: um recurso', date: '2026-01-31T12:00:00Z' }]
    const written = rows('changelogs where git_commit_hash = ?', hash)
    return { path: '/changelogs/sync-from-git', status: 200, body: { commits }, written }
  }),
}
