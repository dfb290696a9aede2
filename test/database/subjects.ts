import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { EmailKind } from '../../src/database/schema.ts'
import { digest } from '../../src/security/hashes.ts'
import {
  administratorToken,
  type Call,
  callJson,
  newLogin,
  newUser,
  PASSWORD,
  tokenFor,
  tokenOf,
  UNLIMITED,
} from '../helper.ts'
import { createProcess } from '../processes.ts'

/** A request, the statuses of its first and repeated response, and the expected rows. */
export type Subject = {
  path: string
  call: Call
  status: number
  /** The status of the repeated request; `status` by default. */
  repeated?: number
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

const ENTRY = {
  version: 'v9.9.9',
  date: '2026-01-31',
  title: 'Um registro',
  description: 'Texto.',
  category: 'Melhoria',
}

async function newEntry(): Promise<string> {
  const id = crypto.randomUUID()
  await env.DB.prepare(
    "insert into changelogs (id, version, date, title, description, category, git_commit_hash) values (?, 'v9.9.9', '2026-01-31', 'Um', 'Dois', 'Melhoria', ?)",
  )
    .bind(id, newHash())
    .run()
  return id
}

async function newInformer(): Promise<string> {
  const { body } = await callJson('/informers', {
    token: await administratorToken(),
    body: { first_name: 'Davi', email: `${crypto.randomUUID()}@example.org` },
  })
  return body.data.id
}

const idOf = async (table: string) =>
  (await env.DB.prepare(`select id from ${table} limit 1`).first<string>('id')) ?? ''

/** An informer, and a questionnaire of their group. */
async function newAssociated() {
  const [id, questionnaire] = [await newInformer(), await idOf('questionnaires')]
  await env.DB.prepare(
    'insert into informer_groups (informer_id, group_id) select ?, group_id from questionnaires where id = ?',
  )
    .bind(id, questionnaire)
    .run()
  return { id, questionnaire }
}

const countEvents = (action: string, subjectId: string) =>
  count('select count(*) as n from audit_events where action = ? and subject_id = ?', action, subjectId)

/** An informer with an unverified email, and the token of its verification link. */
export async function newWaiting(kind: EmailKind = 'verification') {
  const { id, email } = await newLogin({ verification: 'required' })
  const token = newHash()
  await env.DB.prepare(
    "insert into email_tokens (token_hash, user_id, kind, expires_at) values (?, ?, ?, '9999')",
  )
    .bind(await digest(token), id, kind)
    .run()
  return { id, email, token, ...sessionsOf(id) }
}

/** How often the sessions of a user were ended, and how often this was recorded. */
const sessionsOf = (id: string) => ({
  written: () => count('select token_version - 1 as n from users where id = ?', id),
  recorded: () => recordsOf(id),
})

const recordsOf = (actorId: string) =>
  count('select count(*) as n from audit_events where actor_id = ?', actorId)

/** An administrator with a count of its audit records. */
async function newActor() {
  const user = await newUser('administrator')
  return { token: await tokenFor(user), recorded: () => recordsOf(user.id) }
}

type Parts = 'processes' | 'groups' | 'questionnaires'

/** A POST of a process, group or questionnaire; with an Idempotency-Key if repeating it is 201. */
async function newPart(path: string, table: Parts, repeated: number, fields: object = {}): Promise<Subject> {
  const { token, recorded } = await newActor()
  const text = newHash()
  const group = { name: text, color: '#123ABC', description: 'Um', questionnaires: [newHash()] }
  const body = {
    processes: { name: 'Sé', protocol: text, groups: [group], ...fields },
    groups: group,
    questionnaires: { title: text },
  }[table]
  const column = { processes: 'protocol', groups: 'name', questionnaires: 'title' }[table]
  return {
    path,
    call: { token, body, headers: repeated === 201 ? { 'Idempotency-Key': newHash() } : {} },
    status: 201,
    repeated,
    recorded,
    written: async () => {
      const written = await count(`select count(*) as n from ${table} where ${column} = ?`, text)
      const groups = await count(
        'select count(distinct groups.id) as n from groups join questionnaires on group_id = groups.id where groups.name = ?1 or process_id in (select id from processes where protocol = ?1)',
        text,
      )
      expect(groups > 0).toBe(written > 0 && table !== 'questionnaires') // with what it is made with
      return written
    },
  }
}

/** The id of a new process, group or questionnaire, without informers. */
async function newPartId(table: Parts): Promise<string> {
  const { id, groups } = await createProcess()
  return { processes: id, groups: groups[0].id, questionnaires: groups[0].questionnaires[0].id }[table]
}

async function changedPart(table: Parts, fields: Record<string, string>): Promise<Subject> {
  const { token, recorded } = await newActor()
  const id = await newPartId(table)
  const [column, value = ''] = Object.entries(fields).at(-1) ?? []
  return {
    path: `/${table}/${id}`,
    call: { method: 'PATCH', token, body: fields },
    status: 200,
    recorded,
    written: () => count(`select count(*) as n from ${table} where id = ? and ${column} = ?`, id, value),
  }
}

async function deletedPart(table: Parts): Promise<Subject> {
  const { token, recorded } = await newActor()
  const id = await newPartId(table)
  return {
    path: `/${table}/${id}`,
    call: { method: 'DELETE', token },
    status: 200,
    repeated: 404, // it is deleted
    recorded,
    written: async () => 1 - (await count(`select count(*) as n from ${table} where id = ?`, id)),
  }
}

/** A request about an administrator. */
async function administratorSubject({
  call = {},
  written,
  repeated = 200,
}: {
  call?: Call
  written?: (id: string) => Promise<number>
  repeated?: number
}): Promise<Subject> {
  const { token, recorded } = await newActor()
  const { id } = await newUser('administrator')
  const writing = written && { written: () => written(id), recorded }
  return { path: `/administrators/${id}`, call: { token, ...call }, status: 200, repeated, ...writing }
}

/** The subjects of one of the lists, with the field that only it has. */
const listSubjects = (path: string, own: Record<string, string>): Record<string, () => Promise<Subject>> => {
  const table = path.slice(1).replace('-', '_')
  const newRow = async (name = newHash()) => {
    const fields = { name, name_folded: name, ...own }
    const values = Object.values(fields)
    const id = await env.DB.prepare(
      `insert into ${table} (${Object.keys(fields)}) values (${values.map(() => '?')}) returning id`,
    )
      .bind(...values)
      .first<number>('id')
    return `${path}/${id}`
  }
  const countNamed = (name: string) => count(`select count(*) as n from ${table} where name = ?`, name)
  const creating = (headers: Record<string, string>, repeated: number) => async () => {
    const { token, recorded } = await newActor()
    const name = newHash()
    const call = { token, body: { name, ...own }, headers }
    return { path, call, status: 201, repeated, recorded, written: () => countNamed(name) }
  }
  return {
    [`GET /v1${path}/{id}`]: async () => ({ path: await newRow(), call: {}, status: 200 }),
    [`POST /v1${path}`]: creating({}, 422), // the name is taken
    [`POST /v1${path} with an Idempotency-Key`]: creating({ 'Idempotency-Key': 'one' }, 201),
    [`PATCH /v1${path}/{id}`]: async () => {
      const { token, recorded } = await newActor()
      const name = newHash()
      const call = { method: 'PATCH', token, body: { name } }
      return { path: await newRow(), call, status: 200, recorded, written: () => countNamed(name) }
    },
    [`DELETE /v1${path}/{id}`]: async () => {
      const { token, recorded } = await newActor()
      const name = newHash()
      return {
        path: await newRow(name),
        call: { method: 'DELETE', token },
        status: 200,
        repeated: 404, // it is deleted
        recorded,
        written: async () => 1 - (await countNamed(name)),
      }
    },
  }
}

/** A new request of every route. */
export const subjects: Record<string, () => Promise<Subject>> = {
  'GET /v1/health': async () => ({ path: '/health', call: {}, status: 200 }),
  'GET /v1/categories': async () => ({ path: '/categories', call: {}, status: 200 }),
  'GET /v1/cover': async () => ({
    path: '/cover',
    call: { token: await tokenOf('ana@example.org') },
    status: 200,
  }),
  'POST /v1/auth/login': async () => ({
    path: '/auth/login',
    call: {
      body: { email: 'ana@example.org', password: PASSWORD },
      headers: { 'CF-Connecting-IP': crypto.randomUUID() },
      env: { LOGIN_IDENTIFIER_LIMIT: UNLIMITED },
    },
    status: 200,
  }),
  'POST /v1/auth/email/verify': async () => {
    const { id, token } = await newWaiting()
    return {
      path: '/auth/email/verify',
      call: { body: { token } },
      status: 200,
      repeated: 422, // the token is used
      written: () =>
        count('select count(*) as n from users where id = ? and email_verified_at is not null', id),
    }
  },
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
        token: await tokenFor(user),
        body: { current_password: PASSWORD, password: 'Outra2026' },
      },
      status: 200,
      repeated: 401, // the session is ended
      ...sessionsOf(user.id),
    }
  },
  'POST /v1/auth/logout': async () => {
    const user = await newUser('informer')
    return {
      path: '/auth/logout',
      call: { method: 'POST', token: await tokenFor(user) },
      status: 200,
      repeated: 401, // the session is ended
      ...sessionsOf(user.id),
    }
  },
  'GET /v1/audit-events': async () => ({
    path: '/audit-events',
    call: { token: await administratorToken() },
    status: 200,
  }),
  'POST /v1/informers': async () => {
    const { token, recorded } = await newActor()
    const email = `${crypto.randomUUID()}@example.org`
    const group = await env.DB.prepare('select id from groups limit 1').first<string>('id')
    return {
      path: '/informers',
      call: { token, body: { first_name: 'Davi', email, group_id: group } },
      status: 201,
      repeated: 422, // the email is registered
      recorded,
      written: async () => {
        const informers = await count('select count(*) as n from users where email = ?', email)
        const whole = await count(
          'select count(*) as n from users join informer_groups on informer_id = users.id where email = ?',
          email,
        )
        expect(whole).toBe(informers)
        return informers
      },
    }
  },
  'POST /v1/informers with an Idempotency-Key': async () => {
    const { token, recorded } = await newActor()
    const first_name = `Davi ${newHash()}`
    return {
      path: '/informers',
      call: {
        token,
        body: { first_name },
        headers: { 'Idempotency-Key': newHash() },
      },
      status: 201,
      recorded,
      written: () => count('select count(*) as n from users where first_name = ?', first_name),
    }
  },
  'GET /v1/informers': async () => ({
    path: '/informers?search=a',
    call: { token: await administratorToken() },
    status: 200,
  }),
  'GET /v1/informers/{informer}': async () => ({
    path: `/informers/${await newInformer()}`,
    call: { token: await administratorToken() },
    status: 200,
  }),
  'PATCH /v1/informers/{informer}': async () => {
    const id = await newInformer()
    return {
      path: `/informers/${id}`,
      call: { method: 'PATCH', token: await administratorToken(), body: { first_name: 'Ana', cpf: null } },
      status: 200,
      written: async () => {
        const changed = await count("select count(*) as n from users where id = ? and initials = 'A'", id)
        expect(await countEvents('informer.updated', id)).toBe(changed)
        return changed
      },
    }
  },
  'DELETE /v1/informers/{informer}': async () => {
    const id = await newInformer()
    return {
      path: `/informers/${id}`,
      call: { method: 'DELETE', token: await administratorToken() },
      status: 200,
      repeated: 404, // the person is deleted
      written: async () => {
        const deleted = 1 - (await count('select count(*) as n from users where id = ?', id))
        expect(await countEvents('informer.deleted', id)).toBe(deleted)
        return deleted
      },
    }
  },
  'PUT /v1/informers/{informer}/groups/{group}': async () => {
    const id = await newInformer()
    return {
      path: `/informers/${id}/groups/${await idOf('groups')}`,
      call: { method: 'PUT', token: await administratorToken() },
      status: 200,
      written: async () => {
        const associated = await count('select count(*) as n from informer_groups where informer_id = ?', id)
        expect(await countEvents('group.associated', id)).toBe(associated)
        return associated
      },
    }
  },
  'DELETE /v1/informers/{informer}/groups/{group}': async () => {
    const id = await newInformer()
    const group = await idOf('groups')
    await env.DB.prepare('insert into informer_groups (informer_id, group_id) values (?, ?)')
      .bind(id, group)
      .run()
    return {
      path: `/informers/${id}/groups/${group}`,
      call: { method: 'DELETE', token: await administratorToken() },
      status: 200,
      written: async () => {
        const ended = 1 - (await count('select count(*) as n from informer_groups where informer_id = ?', id))
        expect(await countEvents('group.dissociated', id)).toBe(ended)
        return ended
      },
    }
  },
  'PUT /v1/informers/{informer}/questionnaires/{questionnaire}': async () => {
    const { id, questionnaire } = await newAssociated()
    return {
      path: `/informers/${id}/questionnaires/${questionnaire}`,
      call: { method: 'PUT', token: await administratorToken() },
      status: 200,
      written: async () => {
        const completed = await count(
          'select count(*) as n from informer_completions where informer_id = ?',
          id,
        )
        expect(await countEvents('questionnaire.completed', id)).toBe(completed)
        return completed
      },
    }
  },
  'DELETE /v1/informers/{informer}/questionnaires/{questionnaire}': async () => {
    const { id, questionnaire } = await newAssociated()
    await env.DB.prepare('insert into informer_completions (informer_id, questionnaire_id) values (?, ?)')
      .bind(id, questionnaire)
      .run()
    return {
      path: `/informers/${id}/questionnaires/${questionnaire}`,
      call: { method: 'DELETE', token: await administratorToken() },
      status: 200,
      written: async () => {
        const left = await count('select count(*) as n from informer_completions where informer_id = ?', id)
        expect(await countEvents('questionnaire.reopened', id)).toBe(1 - left)
        return 1 - left
      },
    }
  },
  'GET /v1/administrators': async () => ({
    path: '/administrators?search=a',
    call: { token: await administratorToken() },
    status: 200,
  }),
  'POST /v1/administrators': async () => {
    const { token, recorded } = await newActor()
    const email = `${crypto.randomUUID()}@example.org`
    const written = () => count('select count(*) as n from users where email = ?', email)
    const call = { token, body: { first_name: 'Rita', email, password: PASSWORD } }
    return { path: '/administrators', call, status: 201, repeated: 422, recorded, written } // it is registered
  },
  'GET /v1/administrators/{administrator}': () => administratorSubject({}),
  'PATCH /v1/administrators/{administrator}': () =>
    administratorSubject({
      call: { method: 'PATCH', body: { phone: '1' } },
      written: (id) => count("select count(*) as n from users where id = ? and phone = '1'", id),
    }),
  'DELETE /v1/administrators/{administrator}': () =>
    administratorSubject({
      call: { method: 'DELETE' },
      repeated: 404, // the person is deleted
      written: async (id) => 1 - (await count('select count(*) as n from users where id = ?', id)),
    }),
  ...listSubjects('/categories', { description: 'Um.' }),
  ...listSubjects('/dioceses', { state: 'SP' }),
  ...listSubjects('/treatment-pronouns', { description: 'Um.' }),
  'GET /v1/processes': async () => ({
    path: '/processes',
    call: { token: await administratorToken() },
    status: 200,
  }),
  'GET /v1/processes/{process}': async () => ({
    path: `/processes/${await newPartId('processes')}`,
    call: { token: await administratorToken() },
    status: 200,
  }),
  'POST /v1/processes': async () => newPart('/processes', 'processes', 422),
  'POST /v1/processes with an Idempotency-Key': async () => newPart('/processes', 'processes', 201),
  'POST /v1/processes with the groups of another': async () =>
    newPart('/processes', 'processes', 422, { groups: null, groups_of: await newPartId('processes') }),
  'POST /v1/processes/{process}/groups': async () =>
    newPart(`/processes/${await newPartId('processes')}/groups`, 'groups', 422),
  'POST /v1/groups/{group}/questionnaires': async () =>
    newPart(`/groups/${await newPartId('groups')}/questionnaires`, 'questionnaires', 201),
  'PATCH /v1/processes/{process}': async () =>
    changedPart('processes', { name: 'Outro', protocol: newHash() }),
  'PATCH /v1/groups/{group}': async () => changedPart('groups', { name: newHash() }),
  'PATCH /v1/questionnaires/{questionnaire}': async () => changedPart('questionnaires', { title: newHash() }),
  'DELETE /v1/processes/{process}': async () => deletedPart('processes'),
  'DELETE /v1/groups/{group}': async () => deletedPart('groups'),
  'DELETE /v1/questionnaires/{questionnaire}': async () => deletedPart('questionnaires'),
  'POST /v1/changelogs/publish': async () => {
    const id = await newEntry()
    return {
      path: '/changelogs/publish',
      call: { token: await administratorToken(), body: { ids: [id] } },
      status: 200,
      written: async () => {
        const published = await count(
          'select count(*) as n from changelogs where id = ? and is_published',
          id,
        )
        expect(await countEvents('changelog.published', id)).toBe(published)
        return published
      },
    }
  },
  'GET /v1/changelogs': async () => ({ path: '/changelogs', call: {}, status: 200 }),
  'GET /v1/changelogs of an administrator': async () => ({
    path: '/changelogs',
    call: { token: await administratorToken() },
    status: 200,
  }),
  'GET /v1/changelogs/{id}': async () => ({
    path: `/changelogs/${await newEntry()}`,
    call: { token: await administratorToken() },
    status: 200,
  }),
  'POST /v1/changelogs': async () => {
    const { token, recorded } = await newActor()
    const git_commit_hash = newHash()
    return {
      path: '/changelogs',
      call: { token, body: { ...ENTRY, git_commit_hash } },
      status: 201,
      repeated: 422, // the commit is taken
      recorded,
      written: () => count('select count(*) as n from changelogs where git_commit_hash = ?', git_commit_hash),
    }
  },
  'POST /v1/changelogs with an Idempotency-Key': async () => {
    const { token, recorded } = await newActor()
    const title = newHash()
    return {
      path: '/changelogs',
      call: {
        token,
        body: { ...ENTRY, title },
        headers: { 'Idempotency-Key': 'one' },
      },
      status: 201,
      recorded,
      written: () => count('select count(*) as n from changelogs where title = ?', title),
    }
  },
  'PUT /v1/changelogs/{changelog}': async () => {
    const { token, recorded } = await newActor()
    const id = await newEntry()
    return {
      path: `/changelogs/${id}`,
      call: { method: 'PUT', token, body: { title: 'Outro' } },
      status: 200,
      recorded,
      written: () => count("select count(*) as n from changelogs where id = ? and title = 'Outro'", id),
    }
  },
  'DELETE /v1/changelogs/{changelog}': async () => {
    const { token, recorded } = await newActor()
    const id = await newEntry()
    return {
      path: `/changelogs/${id}`,
      call: { method: 'DELETE', token },
      status: 200,
      repeated: 404, // it is deleted
      recorded,
      written: async () => 1 - (await count('select count(*) as n from changelogs where id = ?', id)),
    }
  },
  'POST /v1/changelogs/sync-from-git': async () => {
    const { token, recorded } = await newActor()
    const hash = newHash()
    const date = '2026-01-31T12:00:00Z'
    return {
      path: '/changelogs/sync-from-git',
      call: {
        token,
        body: { commits: [{ hash, message: 'feat: um recurso', date }] },
      },
      status: 200,
      recorded,
      written: () => count('select count(*) as n from changelogs where git_commit_hash = ?', hash),
    }
  },
}
