import { hc } from 'hono/client'
import type { ExtractSchema } from 'hono/types'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { DocumentedRoute, RouteWithBody } from '../../scripts/openapi/operations.ts'
import type { App } from '../../src/index.ts'
import { call, PASSWORD } from '../helper.ts'

type Schema = ExtractSchema<App>
type Path = keyof Schema & string
type Method<P extends Path> = keyof Schema[P] & string
type Name<P extends Path, M> = M extends `$${infer Verb}` ? `${Uppercase<Verb>} ${P}` : never

/** The routes that the type of the app has, named as in the OpenAPI document. */
type TypedRoute = { [P in Path]: Name<P, Method<P>> }[Path]
type Undocumented = 'GET /v1/openapi.json' | 'GET /v1/docs' | 'GET /v1/docs/:file'

/** The routes of which the type knows the response of success, and those of which it knows the body. */
type TypedOutput = {
  [P in Path]: {
    [M in Method<P>]: Schema[P][M] extends { output: { success: true } } ? Name<P, M> : never
  }[Method<P>]
}[Path]
type TypedBody = {
  [P in Path]: {
    [M in Method<P>]: Schema[P][M] extends { input: { json: object } } ? Name<P, M> : never
  }[Method<P>]
}[Path]

type Different<One, Other> = Exclude<One, Other> | Exclude<Other, One>

/** Does not compile where there are such routes: the error names one. */
const expectNone = <Routes extends never>(which: string, routes: Routes[] = []) =>
  expect(routes, which).toEqual([])

describe('hc<App> of hono/client', () => {
  it('types the input and the output of every route', () => {
    expectNone<Different<TypedRoute, DocumentedRoute | Undocumented>>(
      'missing in scripts/openapi/resources',
    )
    expectNone<Different<TypedOutput, DocumentedRoute>>('whose response is not { success: true }')
    expectNone<Different<TypedBody, RouteWithBody>>(
      'whose body is not described, or not validated by validBody',
    )
  })

  it('calls the service with typed requests and responses', async () => {
    const { v1 } = hc<App>('https://service.example', {
      fetch: (url: RequestInfo | URL, init: RequestInit = {}) => {
        const { 'content-type': _, ...headers } = Object.fromEntries(new Headers(init.headers)) // `call` sets its own
        return call(String(url), {
          method: init.method ?? 'GET',
          headers,
          body: init.body ?? undefined,
        })
      },
    })
    const login = await v1.auth.login.$post({
      json: { email: 'admin@example.org', password: PASSWORD },
    })
    const { access_token } = (await login.json()).data
    expectTypeOf(access_token).toBeString()
    const headers = { Authorization: `Bearer ${access_token}` }

    const dioceses = await v1.dioceses.$get({ query: { state: 'AC', active: 'true' } })
    const [diocese] = (await dioceses.json()).data
    expectTypeOf(diocese).toEqualTypeOf<
      | {
          id: number
          name: string
          state: string
          active: boolean
          created_at: string
          updated_at: string
        }
      | undefined
    >()
    expect(diocese?.state).toBe('AC')

    // @ts-expect-error a spelling that the service rejects
    expect((await v1.categories.$get({ query: { active: 'yes' } })).status).toBe(422)

    const json = {
      first_name: 'João',
      last_name: 'da Silva Santos',
      diocese_id: diocese?.id ?? null,
    }
    const created = await v1.informers.$post({ json }, { headers })
    const { data } = await created.json()
    expect([created.status, data.initials, data.diocese?.name]).toEqual([201, 'JSS', diocese?.name])
  })
})
