import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { ENTRY } from './support/changelogs.ts'
import { runCron } from './support/emails.ts'
import { counting, failingDatabase } from './support/helper.ts'
import { logged } from './support/logs.ts'
import { send } from './support/processes.ts'
import { newPath, referenceLists, resources } from './support/resources.ts'

// The platform's cache does not run here: these tests see what the trigger asks of it.

const OLD = { ...env.VERSION, timestamp: '2026-01-01T00:00:00Z' }

/** Runs the cron trigger of a version; returns what it purges. */
async function purgedBy(
  bindings: object = {},
  purge: CacheContext['purge'] = async () => ({ success: true, errors: [] }),
): Promise<unknown[]> {
  const purged: unknown[] = []
  const cache = {
    purge: (options: CachePurgeOptions) => {
      purged.push(options)
      return purge(options)
    },
  }
  await runCron({ VERSION: OLD, ...bindings }, cache)
  return purged
}

/** Moves all records some minutes into the past. */
const age = (minutes: number) =>
  env.DB.prepare(
    `update audit_events
     set created_at = strftime('%Y-%m-%dT%H:%M:%f000Z', created_at, ?)`,
  )
    .bind(`-${minutes} minutes`)
    .run()

beforeEach(() => env.DB.exec('delete from audit_events'))

describe('the cron trigger, in the cache in front of the Worker', () => {
  it.each([
    ...referenceLists.map(({ path, newBody }) => ({ path, newBody, update: 'PATCH' })),
    {
      path: '/changelogs',
      newBody: () => ({ ...ENTRY, title: crypto.randomUUID() }),
      update: 'PUT',
    },
  ])(
    'purges $path after each write, for ten minutes, and after none that fails',
    async ({ path, newBody, update }) => {
      const purged = [{ tags: [path.slice(1)] }]
      expect((await send('POST', path, {})).status).toBe(422)
      expect(await purgedBy()).toEqual([])

      const created = await send('POST', path, newBody())
      expect(created.status).toBe(201)
      expect(await purgedBy()).toEqual(purged)
      await age(9.9)
      expect(await purgedBy()).toEqual(purged)
      await age(0.2)
      expect(await purgedBy()).toEqual([])

      const one = `${path}/${created.body.data.id}`
      expect((await send(update, one, newBody())).status).toBe(200)
      expect(await purgedBy()).toEqual(purged)
      await age(10.1)
      expect((await send('DELETE', one)).status).toBe(200)
      expect(await purgedBy()).toEqual(purged)
    },
  )

  it('purges the changelog after its entries are published, or imported', async () => {
    await send('POST', '/changelogs', ENTRY)
    await age(10.1)
    const { version } = ENTRY
    expect((await send('POST', '/changelogs/publish', { version })).status).toBe(200)
    expect(await purgedBy()).toEqual([{ tags: ['changelogs'] }])
    await age(10.1)
    const commit = { hash: 'abcdef1', message: 'feat: x', date: '2026-11-01T00:00:00Z' }
    await send('POST', '/changelogs/sync-from-git', { commits: [commit] })
    expect(await purgedBy()).toEqual([{ tags: ['changelogs'] }])
  })

  it('purges several lists in one call, and nothing for other records', async () => {
    for (const resource of resources) {
      await send('POST', await newPath(resource), resource.newBody())
    }
    const [{ tags } = {}] = (await purgedBy()) as { tags?: string[] }[]
    expect(tags?.toSorted()).toEqual(['categories', 'dioceses', 'treatment-pronouns'])
  })

  it('purges before emails are sent and old records deleted', async () => {
    await send('POST', '/changelogs', ENTRY)
    await send('PATCH', `/administrators/${await newAdministrator()}`, {
      password: 'Outra2026',
    })
    const order: string[] = []
    const EMAIL = { send: async () => order.push('email') }
    await purgedBy({ EMAIL }, async () => {
      order.push('purge')
      return { success: true, errors: [] }
    })
    expect(order.slice(0, 2)).toEqual(['purge', 'email'])
  })

  it('purges everything in the first ten minutes of a version, without the database', async () => {
    const minutesAgo = (minutes: number) => ({
      VERSION: {
        ...OLD,
        timestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
      },
      DB: failingDatabase('D1_ERROR: D1 DB is overloaded.'),
    })
    for (const minutes of [0, 9.9]) {
      expect(await purgedBy(minutesAgo(minutes))).toEqual([{ purgeEverything: true }])
    }
    expect(await purgedBy(minutesAgo(10.1))).toEqual([])
    expect(logged('error')).toContainEqual(
      expect.objectContaining({ event: 'cache not purged', error: 'DatabaseError' }),
    )
  })

  it.each([
    [
      'is refused',
      async () => ({ success: false, errors: [{ code: 1015, message: 'rate limited' }] }),
      { codes: [1015] },
    ],
    [
      'throws',
      async () => {
        throw new TypeError('gone')
      },
      { error: 'TypeError' },
    ],
  ])(
    'logs one line if the purge %s, and runs the other steps',
    async (_, purge, line) => {
      await send('POST', '/changelogs', ENTRY)
      await env.DB.exec(
        "insert into transactions (id, committed_at) values ('old', '2020-01-01T00:00:00.000000Z')",
      )
      await purgedBy({}, purge)
      expect(logged('error')).toEqual([
        expect.objectContaining({ level: 'error', event: 'cache not purged', ...line }),
      ])
      const old = "select count(*) as n from transactions where id = 'old'"
      expect(await env.DB.prepare(old).first('n')).toBe(0)
    },
  )

  it('takes one round trip to know, which reads the records of these minutes alone', async () => {
    const { binding, count } = counting()
    await purgedBy({ DB: binding })
    const [{ roundTrips, rowsRead }, others] = [{ ...count }, counting()]
    await runCron({ DB: others.binding })
    expect(roundTrips - others.count.roundTrips).toBe(1)

    await env.DB.exec(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
       insert into audit_events (created_at, actor_id, action, subject_type, request_id)
       select '2026-01-01T00:00:00.000000Z', 'many', 'category.updated', 'category', i from n`.replaceAll(
        '\n',
        ' ',
      ),
    )
    const more = counting()
    expect(await purgedBy({ DB: more.binding })).toEqual([])
    expect(more.count.rowsRead).toBe(rowsRead)
  })
})

/** The id of a new administrator, whose changed password is told. */
async function newAdministrator(): Promise<string> {
  const { body } = await send('POST', '/administrators', {
    first_name: 'Rute',
    email: `${crypto.randomUUID()}@example.org`,
    password: 'Primeira2026',
  })
  return body.data.id
}
