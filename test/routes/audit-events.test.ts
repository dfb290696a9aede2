import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  administratorToken,
  callJson,
  newUser,
  tokenFor,
  UNKNOWN_ID,
} from '../support/helper.ts'
import { AUDIT_ACTIONS, type AuditAction, SUBJECT_TYPE_BY_ACTION } from '#domain/audit.ts'

const ADA = '8d9f3f2e-5c56-4a54-9d4a-3f0f7d1c0a01'
const BEA = '8d9f3f2e-5c56-4a54-9d4a-3f0f7d1c0a02'
const SUBJECT = '8d9f3f2e-5c56-4a54-9d4a-3f0f7d1c0a03'
const OTHER = '8d9f3f2e-5c56-4a54-9d4a-3f0f7d1c0a04'

const GROUP = '8d9f3f2e-5c56-4a54-9d4a-3f0f7d1c0a05'

type Event = [
  created: string,
  actor: string,
  action: AuditAction,
  subject: string | null,
  group?: string,
]
const EVENTS: Event[] = [
  ['2026-01-30T23:59:59.999000Z', ADA, 'group.associated', SUBJECT, GROUP],
  ['2026-01-31T00:00:00.000000Z', BEA, 'informer.updated', SUBJECT],
  ['2026-01-31T12:00:00.000000Z', ADA, 'changelog.imported', null],
  ['2026-01-31T23:59:59.999000Z', ADA, 'informer.updated', OTHER],
  ['2026-02-01T00:00:00.000000Z', BEA, 'session.ended', BEA],
]
const NEWEST_FIRST = EVENTS.map(([created]) => created).reverse()

let token: string
beforeAll(async () => {
  token = await administratorToken()
  await env.DB.batch(
    EVENTS.map(([created, actor, action, subject, group = null]) =>
      env.DB.prepare(
        `insert into audit_events
         (id, created_at, actor_id, action, subject_type, subject_id, related_type, related_id,
           request_id)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).bind(
        crypto.randomUUID(),
        created,
        actor,
        action,
        SUBJECT_TYPE_BY_ACTION[action],
        subject,
        group && 'group',
        group,
        crypto.randomUUID(),
      ),
    ),
  )
})

const list = (query = '') => callJson(`/audit-events${query}`, { token })
const times = (body: { data: { created_at: string }[] }) =>
  body.data.map(({ created_at }) => created_at)

describe('GET /v1/audit-events', () => {
  it('lists actions with their actors for administrators, newest first', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    expect(times(body)).toEqual(NEWEST_FIRST)
    expect(body.data[0]).toMatchObject({
      created_at: '2026-02-01T00:00:00.000000Z',
      actor_id: BEA,
      actor_name: null,
      action: 'session.ended',
      subject_type: 'user',
      subject_id: BEA,
      related_type: null,
      related_id: null,
    })
    expect(body.data.at(-1)).toMatchObject({ related_type: 'group', related_id: GROUP })
    expect(body.pagination).toMatchObject({ per_page: 12, total: 5, last_page: 1 })
  })

  it('names administrators alone', async () => {
    const administrator = await newUser('administrator')
    const informer = await newUser('informer')
    for (const user of [administrator, informer]) {
      await callJson('/auth/logout', { method: 'POST', token: await tokenFor(user) })
      const { body } = await list(`?actor_id=${user.id}`)
      const actor_name = user === administrator ? 'Teste' : null
      expect(body.data).toMatchObject([{ actor_id: user.id, actor_name }])
      await env.DB.prepare('delete from audit_events where actor_id = ?')
        .bind(user.id)
        .run()
    }
  })

  it('pages', async () => {
    const { body } = await list('?per_page=2&page=2')
    expect(times(body)).toEqual(NEWEST_FIRST.slice(2, 4))
    expect(body.pagination).toMatchObject({
      current_page: 2,
      last_page: 3,
      total: 5,
      has_more_pages: true,
    })
  })

  it.each([
    [`actor_id=${BEA}`, [4, 1]],
    [`actor_id=${BEA.toUpperCase()}`, [4, 1]],
    [`subject_id=${SUBJECT}`, [1, 0]],
    [`related_id=${GROUP}`, [0]],
    [`related_id=${GROUP.toUpperCase()}`, [0]],
    [`related_id=${GROUP}&actor_id=${BEA}`, []],
    [`related_id=${SUBJECT}`, []],
    ['subject_type=informer', [3, 1, 0]],
    ['subject_type=user', [4]],
    ['subject_type=group', []],
    [`subject_type=informer&actor_id=${BEA}`, [1]],
    ['subject_type=informer&action=session.ended', []],
    ['action=informer.updated', [3, 1]],
    ['date_from=2026-01-31', [4, 3, 2, 1]],
    ['date_to=2026-01-31', [3, 2, 1, 0]],
    ['date_from=2026-01-31&date_to=2026-01-31', [3, 2, 1]],
    [`actor_id=${ADA}&action=informer.updated&date_to=2026-01-31`, [3]],
    [`actor_id=${UNKNOWN_ID}`, []],
  ])('filters by %s', async (query, places) => {
    const { body } = await list(`?${query}`)
    expect(times(body)).toEqual(places.map((place) => EVENTS[place]?.[0]))
    expect(body.pagination.total).toBe(places.length)
  })

  it.each([
    ['api_token_id=1', { api_token_id: ['O parâmetro api_token_id deve ser um UUID.'] }],
    ['related_id=7', { related_id: ['O parâmetro related_id deve ser um UUID.'] }],
    [
      'subject_id=4x',
      { subject_id: ['O parâmetro subject_id deve ser um UUID ou um número inteiro.'] },
    ],
    [
      'action=informer.seen',
      {
        action: [
          expect.stringMatching(
            /^O parâmetro action deve ser um destes: .* api_token\.deleted\.$/,
          ),
        ],
      },
    ],
    [
      'date_from=2026-02-02&date_to=2026-02-01&actor_id=1&page=0',
      {
        actor_id: ['O parâmetro actor_id deve ser um UUID.'],
        date_to: ['O parâmetro date_to deve ser igual ou posterior a date_from.'],
        page: ['O parâmetro page deve ser um número inteiro a partir de 1.'],
      },
    ],
  ])('rejects %s with every failing parameter', async (query, errors) => {
    const { status, body } = await list(`?${query}`)
    expect([status, body.errors]).toEqual([422, errors])
  })

  it.each(['', 'Informer', 'users', 'informer,user'])(
    'rejects the subject_type %j, and tells all that there are',
    async (type) => {
      const { status, body } = await list(`?subject_type=${type}`)
      const types = Object.values(SUBJECT_TYPE_BY_ACTION)
      const message =
        'O parâmetro subject_type deve ser um destes: informer, administrator, process, group, ' +
        'questionnaire, category, diocese, treatment_pronoun, changelog, user, api_token.'
      expect([status, body.errors]).toEqual([422, { subject_type: [message] }])
      for (const one of types) expect(message).toContain(one)
    },
  )

  it('keeps the record of a deleted person, with only the id', async () => {
    const user = await newUser('administrator')
    const path = `/changelogs/${crypto.randomUUID()}`
    await env.DB.prepare(
      "insert into changelogs (id, version, date, title, description, category) values (?, 'v9.9.9', '2026-01-31', 'Um', 'Dois', 'Melhoria')",
    )
      .bind(path.slice(12))
      .run()
    await callJson(path, { method: 'DELETE', token: await tokenFor(user) })
    await env.DB.prepare('delete from users where id = ?').bind(user.id).run()
    const { body } = await list(`?actor_id=${user.id}`)
    expect(body.data).toMatchObject([{ actor_id: user.id, action: 'changelog.deleted' }])
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
