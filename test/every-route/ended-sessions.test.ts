import { decode } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import {
  resetImports,
  servedCommits,
  servedRepository,
  SYNC_PATH,
} from '../support/changelog-imports.ts'
import { IS_DEEP } from '../support/depth.ts'
import {
  ENDINGS,
  held,
  type Holder,
  prepareHolder,
  tokenOfYesterday,
} from '../support/ended-sessions.ts'
import {
  beforeRoundTrips,
  callJson,
  newUser,
  tokenFor,
  UNLIMITED,
} from '../support/helper.ts'
import { logged } from '../support/logs.ts'
import { type TestRequest, requests } from '../support/requests.ts'
import { routes } from '../support/routes.ts'
import { storedRows } from '../support/stored.ts'

/** Its one round trip reads. */
const RENEWAL = 'POST /v1/auth/refresh'
const OWN_ACCOUNT = 'PATCH /v1/administrators/{administrator} of oneself'

/** Every route that writes with a token. */
const ROUTES = Object.entries(routes)
  .filter(([route, { guard }]) => !route.startsWith('GET ') && guard !== 'public')
  .filter(([route]) => route !== RENEWAL)
  .map(([route]) => route)
  .concat(OWN_ACCOUNT)

/**
 * What a write can see of the end of a session: another version, no user, another role, a token of
 * before.
 */
const SEEN = ['by logging out', 'by deletion', 'by another role', 'by expiry']

/**
 * The other ways end a version as logging out does. They are tried where users change their own
 * account, and in a deep run everywhere.
 */
const endingsOn = (route: string) =>
  IS_DEEP || route.includes('/auth/') || route === OWN_ACCOUNT
    ? Object.keys(ENDINGS)
    : SEEN

const ENDED = [401, { success: false, message: 'Token inválido' }]

/** A request to a route, and who sends it. */
async function newRequest(route: string): Promise<TestRequest & { holder: Holder }> {
  const prepare = requests[route]
  if (!prepare) throw new Error(`no request of ${route}`)
  const request = await prepare()

  const { token = '' } = request.call
  const { sub, role } = decode(token).payload as { sub: string; role: Holder['role'] }
  const holder = { id: sub, role, token }
  await prepareHolder(holder)
  return { ...request, holder }
}

/** An attempt whose password was right is counted on the way, and then taken back. */
async function rowsButAttempts() {
  const { failed_logins: _, ...others } = await storedRows()
  return others
}

describe.each(ROUTES)('%s', (route) => {
  it('writes with a body that comes slowly, while the session goes on', async () => {
    const { path, call, status } = await newRequest(route)
    let before = {}
    const remember = async () => {
      before = await storedRows()
    }
    expect((await callJson(path, held(call, remember))).status).toBe(status)
    expect(await storedRows()).not.toEqual(before)
  })

  it.each(endingsOn(route))(
    'writes nothing for a caller whose session ends on the way %s',
    async (ending) => {
      const { path, call, holder } = await newRequest(route)
      const token = ending === 'by expiry' ? await tokenOfYesterday(holder) : holder.token

      let before = {}
      const end = async () => {
        await ENDINGS[ending]?.({ ...holder, token })
        before = await storedRows()
      }
      const { status, body, headers } = await callJson(
        path,
        held({ ...call, token }, end),
      )
      expect([status, body]).toEqual(ENDED)
      expect(headers.get('WWW-Authenticate')).toContain(
        ending === 'by expiry'
          ? 'The access token expired'
          : 'The access token is invalid',
      )
      expect(await storedRows()).toEqual(before)
    },
  )

  it('writes nothing if the session ends before any later round trip', async () => {
    const first = await newRequest(route)
    expect((await callJson(first.path, first.call)).status).toBe(first.status)
    const roundTrips = Number(logged('info').at(-1)?.round_trips)
    expect(roundTrips).toBeGreaterThan(1)

    for (let last = 2; last <= roundTrips; last++) {
      const { path, call, holder } = await newRequest(route)
      let before = {}
      const end = async () => {
        await ENDINGS['by another role']?.(holder)
        before = await rowsButAttempts()
      }
      const DB = beforeRoundTrips((trip) => (trip === last ? end() : undefined))
      const { status, body } = await callJson(path, { ...call, env: { DB } })
      expect([last, status, body]).toEqual([last, ...ENDED])
      expect(await rowsButAttempts()).toEqual(before)
    }
  })
})

describe('an informer who imports the configured repository', () => {
  const newImport = async () => {
    const { settings, serve } = servedRepository()
    await serve({ commits: servedCommits(3) })
    await resetImports()
    const user = await newUser('informer')
    const holder = { ...user, token: await tokenFor(user) }
    await prepareHolder(holder)
    const call = { method: 'POST', env: { ...settings, GIT_IMPORT_LIMIT: UNLIMITED } }
    return { call, holder }
  }

  it('imports it, while the session goes on', async () => {
    const { call, holder } = await newImport()
    const { status, body } = await callJson(SYNC_PATH, { ...call, token: holder.token })
    expect([status, body.data.imported]).toEqual([200, 3])
  })

  it.each(Object.keys(ENDINGS))(
    'imports nothing if the session ends %s',
    async (ending) => {
      const { call, holder } = await newImport()
      const token = ending === 'by expiry' ? await tokenOfYesterday(holder) : holder.token

      let before = {}
      const end = async () => {
        await ENDINGS[ending]?.({ ...holder, token })
        before = await storedRows()
      }
      const { status, body } = await callJson(SYNC_PATH, held({ ...call, token }, end))
      expect([status, body]).toEqual(ENDED)
      expect(await storedRows()).toEqual(before)
    },
  )
})
