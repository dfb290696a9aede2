import type { Call } from './helper.ts'
import { administrators, apiTokens, auth } from './routes/accounts.ts'
import { changelogs } from './routes/changelogs.ts'
import { cover, informers } from './routes/informers.ts'
import { processes } from './routes/processes.ts'
import { lists } from './routes/reference-lists.ts'
import { byAdministrator, type Routes } from './routes/route.ts'

/** Every route, with what it promises. The tests in `test/every-route` read this table. */
export const routes: Routes = {
  ...auth,
  ...cover,
  ...informers,
  ...administrators,
  ...apiTokens,
  ...processes,
  ...lists,
  ...changelogs,
  'GET /v1/audit-events': {
    guard: 'admin',
    scopes: ['audit-events:read'],
    roundTrips: 2,
    request: byAdministrator(),
  },
  'GET /v1/health': { guard: 'public', roundTrips: 1, request: async () => ({}) },
}

/** The rows and their variants, which are called `POST /v1/names of somebody`. */
export const cases: Routes = Object.fromEntries(
  Object.entries(routes).flatMap(([route, { variants = {}, ...row }]) => [
    [route, row],
    ...Object.entries(variants).map(([name, variant]) => [
      `${route} ${name}`,
      { ...row, ...variant },
    ]),
  ]),
)

/** A request as `call` takes it, and the status of its response. */
export type TestRequest = { path: string; call: Call; status: number }

/** Makes a new request of the table. */
export async function newRequest(name: string): Promise<TestRequest> {
  const found = cases[name]
  if (!found) throw new Error(`no request is named ${name}`)
  const { ids = [], query = '', ...call } = await found.request()
  const [method = '', pattern = ''] = name.replace('/v1', '').split(' ')
  let parameter = 0
  const path = pattern.replaceAll(/\{\w+\}/g, () => ids[parameter++] ?? '') + query
  return { path, call: { method, ...call }, status: found.status ?? 200 }
}

/** The method of a route, and its path below `/v1` with an id for each parameter. */
export function pathOf(route: string, id: string) {
  const [method = '', path = ''] = route.split(' /v1')
  return { method, path: path.replaceAll(/\{\w+\}/g, id) }
}
