import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import {
  administratorToken,
  type Call,
  callJson,
  newLogin,
  newUser,
  PROOF,
  tokenOfNew,
  UNLIMITED,
} from './helper.ts'
import { IS_OF_WRITE } from './users.ts'

const UNLIMITED_LOGINS = {
  LOGIN_IDENTIFIER_LIMIT: UNLIMITED,
  LOGIN_NETWORK_LIMIT: UNLIMITED,
}

/** Sends a request as an administrator, with the proof that a change of administrators takes. */
export async function send(
  method: string,
  path: string,
  body?: unknown,
  { env: bindings, ...options }: Call = {},
) {
  const takesProof = /^\/administrators(?!.+sessions$)/.test(path) && method !== 'GET'
  return callJson(path, {
    method,
    token: await administratorToken(),
    body: takesProof ? { ...PROOF, ...(body as object) } : body,
    env: { ...UNLIMITED_LOGINS, ...bindings },
    ...options,
  })
}

/** A protocol that sorts after those of the demo data. */
export const newProtocol = () => `PT-${crypto.randomUUID()}`

export const GROUP = {
  name: 'Grupo 1',
  color: '#0d47A1',
  description: 'Bispos da província.',
}

/** How far a group is that has no informers, and what the cover shows for its name. */
export const NOBODY = {
  informers: 0,
  pending: 0,
  in_progress: 0,
  concluded: 0,
  cover_texts: { line_1: null, line_2: null },
}

/** Creates a process, by default with one group of two questionnaires. */
export async function createProcess(fields: Record<string, unknown> = {}) {
  const groups = [{ ...GROUP, questionnaires: ['Situação', 'Perfil'] }]
  const body = { name: 'Provisão da Sé', protocol: newProtocol(), groups, ...fields }
  const created = await send('POST', '/processes', body)
  expect(created.status).toBe(201)
  return created.body.data
}

/** Associates an informer with a group, in the database alone. */
export const associate = (informerId: string, groupId: string) =>
  env.DB.prepare(
    `insert into informer_groups (informer_id, group_id, process_id, name_folded)
     select users.id, groups.id, process_id, users.name_folded from users, groups
     where users.id = ? and groups.id = ?`,
  )
    .bind(informerId, groupId)
    .run()

/** A new informer in a group. */
export async function newMember(groupId: string) {
  const { id } = await newUser('informer')
  await associate(id, groupId)
  return id
}

export const complete = (informerId: string, questionnaireId: string) =>
  env.DB.prepare(
    'insert into informer_completions (informer_id, questionnaire_id) values (?, ?)',
  )
    .bind(informerId, questionnaireId)
    .run()

/** A new administrator, and what is recorded of their writes. */
export async function newActor() {
  const user = await newLogin({ role: 'administrator' })
  const records = async () =>
    (
      await env.DB.prepare(
        `select action, subject_type, subject_id from audit_events
         where actor_id = ? and ${IS_OF_WRITE} order by rowid`,
      )
        .bind(user.id)
        .all()
    ).results
  return { token: await tokenOfNew(user), records }
}
