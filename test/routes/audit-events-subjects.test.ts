import { beforeAll, describe, expect, it } from 'vitest'
import { newApiToken } from '../support/api-tokens.ts'
import { newEmail } from '../support/emails.ts'
import { newUser, PASSWORD, tokenFor } from '../support/helper.ts'
import { GROUP, createProcess, send } from '../support/processes.ts'
import { create, referenceLists, resources } from '../support/resources.ts'
import { AUDIT_ACTIONS, SUBJECT_TYPE_BY_ACTION, SUBJECT_TYPES } from '#domain/audit.ts'

const lists = referenceLists.map(({ type }) => type)

type Event = {
  action: keyof typeof SUBJECT_TYPE_BY_ACTION
  subject_type: string
  actor_id: string
}

/** One of each type of subject, created over HTTP, and who is confirmed and gets a password. */
beforeAll(async () => {
  for (const resource of resources) await create(resource)
  await send('POST', '/changelogs', {
    version: 'v9.9.9',
    date: '2026-01-31',
    title: 'Um',
    description: 'Dois',
    category: 'Melhoria',
  })
  await send('DELETE', `/api-tokens/${(await newApiToken(['lists:write'])).id}`)
  const process = await createProcess({ groups: [{ ...GROUP, questionnaires: ['Um'] }] })
  const [group] = process.groups
  const informer = { first_name: 'Rute', email: newEmail(), group_id: group.id }
  const { id } = (await send('POST', '/informers', informer)).body.data
  await send('PUT', `/informers/${id}/questionnaires/${group.questionnaires[0].id}`)
  await send('PATCH', `/informers/${id}`, { password: PASSWORD, is_email_verified: true })
})

const list = async (query: string) => {
  const { status, body } = await send('GET', `/audit-events?per_page=100&${query}`)
  expect(status).toBe(200)
  expect(body.pagination.total).toBe(body.data.length)
  return body.data as Event[]
}

describe('GET /v1/audit-events?subject_type', () => {
  it('knows every type', () => {
    expect(SUBJECT_TYPES.toSorted()).toEqual(
      [
        'informer',
        'administrator',
        'process',
        'group',
        'questionnaire',
        ...lists,
        'changelog',
        'user',
        'api_token',
      ].toSorted(),
    )
  })

  it.each(SUBJECT_TYPES)(
    '%s finds all that is about one, and nothing else',
    async (type) => {
      const found = await list(`subject_type=${type}`)
      expect(found.length).toBeGreaterThan(0)
      const expected = (await list('')).filter(
        ({ action }) => SUBJECT_TYPE_BY_ACTION[action] === type,
      )
      expect(found).toEqual(expected)
      expect(new Set(found.map(({ subject_type }) => subject_type))).toEqual(
        new Set([type]),
      )
    },
  )

  it.each([
    ['informer', ['group.associated', 'informer.created', 'questionnaire.completed']],
    ['user', ['email.verified', 'password.changed']],
  ])('%s is what %j are about', async (type, actions) => {
    const found = new Set(
      (await list(`subject_type=${type}`)).map(({ action }) => action),
    )
    expect([...found].toSorted()).toEqual(actions)
  })

  it('combines with the other filters', async () => {
    const actor = await newUser('administrator')
    const token = await tokenFor(actor)
    for (const path of ['/categories', '/dioceses']) {
      const body = { name: `${path} ${actor.id}`, description: 'Um.', state: 'SP' }
      expect((await send('POST', path, body, { token })).status).toBe(201)
    }
    const found = await list(`actor_id=${actor.id}&subject_type=diocese`)
    expect(found.map(({ action }) => action)).toEqual(['diocese.created'])
    expect(
      await list(`actor_id=${actor.id}&subject_type=diocese&action=category.created`),
    ).toEqual([])
    expect(await list(`actor_id=${actor.id}&subject_type=group`)).toEqual([])
  })

  it.each(['', 'Informer', 'users', 'informer,user'])('rejects %j', async (type) => {
    const { status, body } = await send('GET', `/audit-events?subject_type=${type}`)
    expect([status, body.errors]).toEqual([
      422,
      {
        subject_type: [
          'O parâmetro subject_type deve ser um destes: informer, administrator, process, group, ' +
            `questionnaire, ${lists.join(', ')}, changelog, user, api_token.`,
        ],
      },
    ])
  })
})

it('every action is about one type of subject', () => {
  for (const action of AUDIT_ACTIONS) {
    const [about] = action.split('.')
    const type = SUBJECT_TYPE_BY_ACTION[action]
    const isAboutUser = ['password', 'email', 'session', 'second_factor'].includes(
      String(about),
    )
    if (isAboutUser) expect(type).toBe('user')
    else if (!/associated|dissociated|completed|reopened/.test(action)) {
      expect(type).toBe(about)
    } else expect(type).toBe('informer')
  }
})
