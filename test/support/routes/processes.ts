import { createProcess, newMember, newProtocol } from '../processes.ts'
import {
  byAdministrator,
  changing,
  creating,
  READ_INFORMERS,
  type Routes,
  using,
  WRITE_INFORMERS,
} from './route.ts'
import type { Scope } from '#domain/api-tokens.ts'

const READ_PROCESSES: Scope[] = ['completions:write', 'processes:read', ...READ_INFORMERS]

export const processes: Routes = {
  'GET /v1/processes': {
    guard: 'admin',
    scopes: READ_PROCESSES,
    roundTrips: 2,
    request: byAdministrator(),
  },
  'GET /v1/processes/{process}': {
    guard: 'admin',
    scopes: READ_PROCESSES,
    roundTrips: 2,
    request: using('process'),
  },
  'POST /v1/processes': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    status: 201,
    roundTrips: 3,
    records: ['process.created'],
    request: creating('process'),
    variants: {
      'with the groups of another': {
        roundTrips: 4,
        request: byAdministrator(async () => {
          const { id } = await createProcess()
          return { body: { name: 'Sé', protocol: newProtocol(), groups_of: id } }
        }),
      },
    },
  },
  'PATCH /v1/processes/{process}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['process.updated'],
    request: changing('process'), // of its protocol, which must be unique
    variants: {
      'of its name': {
        roundTrips: 2,
        request: byAdministrator(async () => ({
          ids: [(await createProcess()).id],
          body: { name: 'Provisão da Catedral' },
        })),
      },
    },
  },
  'DELETE /v1/processes/{process}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    records: ['process.deleted'],
    request: using('process'),
  },
  'DELETE /v1/processes/{process}/informers': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    records: ['process.emptied', 'group.dissociated'],
    request: byAdministrator(async () => {
      const { id, groups } = await createProcess()
      await newMember(groups[0].id)
      return { ids: [id] }
    }),
  },

  'POST /v1/processes/{process}/groups': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    status: 201,
    roundTrips: 3,
    records: ['group.created'],
    request: creating('group'),
  },
  'PATCH /v1/groups/{group}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['group.updated'],
    request: changing('group'),
  },
  'DELETE /v1/groups/{group}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    records: ['group.deleted'],
    request: using('group'),
  },

  'POST /v1/groups/{group}/questionnaires': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    status: 201,
    roundTrips: 3,
    records: ['questionnaire.created'],
    request: creating('questionnaire'),
  },
  'PATCH /v1/questionnaires/{questionnaire}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 3,
    records: ['questionnaire.updated'],
    request: changing('questionnaire'),
  },
  'DELETE /v1/questionnaires/{questionnaire}': {
    guard: 'admin',
    scopes: WRITE_INFORMERS,
    roundTrips: 2,
    records: ['questionnaire.deleted'],
    request: using('questionnaire'),
  },
}
