import { newUser, tokenOf } from '../helper.ts'
import { associate, complete, createProcess } from '../processes.ts'
import { newText } from '../resources.ts'
import {
  byAdministrator,
  creating,
  READ_INFORMERS,
  type Routes,
  using,
  WRITE_INFORMERS,
} from './route.ts'
import type { Scope } from '#domain/api-tokens.ts'

const COMPLETE: Scope[] = ['completions:write', 'informers:write']

const ofInformerInGroup = async () => ({ token: await tokenOf('ana@example.org') })

/** An informer, and a group with a questionnaire. */
async function newPair() {
  const { id } = await newUser('informer')
  const [group] = (await createProcess()).groups
  return { id, group: group.id, questionnaire: group.questionnaires[0].id }
}

/** An informer in a group with a questionnaire. */
async function newAssociated() {
  const pair = await newPair()
  await associate(pair.id, pair.group)
  return pair
}

export const informers: Routes = {
  'GET /v1/informers': {
    guard: 'admin',
    scopes: READ_INFORMERS,
    roundTrips: 2,
    behind: 1,
    records: ['informer.listed'],
    request: byAdministrator(async () => ({ query: '?search=a' })),
  },
  'GET /v1/informers/{informer}': {
    guard: 'admin',
    scopes: READ_INFORMERS,
    roundTrips: 2,
    behind: 1,
    records: ['informer.read'],
    request: using('informer'),
  },
  'POST /v1/informers': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    status: 201,
    roundTrips: 3,
    records: ['informer.created', 'group.associated'],
    request: byAdministrator(async () => {
      const [group] = (await createProcess()).groups
      const email = `${crypto.randomUUID()}@example.org`
      return { body: { first_name: 'Davi', email, group_id: group.id } }
    }),
    variants: {
      'with an Idempotency-Key': {
        records: ['informer.created'],
        request: creating('informer', { headers: { 'Idempotency-Key': 'one' } }),
      },
    },
  },
  'PATCH /v1/informers/{informer}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    behind: 1,
    records: ['informer.updated'],
    request: byAdministrator(async () => ({
      ids: [(await newUser('informer')).id],
      body: { first_name: newText(), cpf: null },
    })),
  },
  'DELETE /v1/informers/{informer}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['informer.deleted'],
    request: using('informer'),
  },
  'DELETE /v1/informers/{informer}/sessions': {
    guard: 'admin',
    roundTrips: 2,
    records: ['session.ended'],
    request: using('informer'),
  },
  'PUT /v1/informers/{informer}/groups/{group}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    behind: 1,
    records: ['group.associated'],
    request: byAdministrator(async () => {
      const { id, group } = await newPair()
      return { ids: [id, group] }
    }),
  },
  'DELETE /v1/informers/{informer}/groups/{group}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    behind: 1,
    records: ['group.dissociated'],
    request: byAdministrator(async () => {
      const { id, group } = await newAssociated()
      return { ids: [id, group] }
    }),
  },
  'PUT /v1/informers/{informer}/questionnaires/{questionnaire}': {
    guard: 'admin',
    scopes: COMPLETE,
    roundTrips: 2,
    behind: 1,
    records: ['questionnaire.completed'],
    request: byAdministrator(async () => {
      const { id, questionnaire } = await newAssociated()
      return { ids: [id, questionnaire] }
    }),
  },
  'DELETE /v1/informers/{informer}/questionnaires/{questionnaire}': {
    guard: 'admin',
    scopes: COMPLETE,
    roundTrips: 2,
    behind: 1,
    records: ['questionnaire.reopened'],
    request: byAdministrator(async () => {
      const { id, questionnaire } = await newAssociated()
      await complete(id, questionnaire)
      return { ids: [id, questionnaire] }
    }),
  },
}

export const cover: Routes = {
  'GET /v1/cover': { guard: 'informer', roundTrips: 1, request: ofInformerInGroup },
  'GET /v1/cover/questionnaires': {
    guard: 'informer',
    roundTrips: 1,
    request: ofInformerInGroup,
  },
}
