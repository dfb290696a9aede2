import { Agent, request } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '../../scripts/build/openapi/operations.ts'
import { documentedPaths } from '../support/documented.ts'
import { demoService } from './demo-service.ts'
import { fill, HEADERS, type Shape, SHAPES } from './hostile-texts.ts'

/** Below the limit of a body. */
const BYTES = 60_000
const MAX_RATIO = 10
/** Plain letters count as this many milliseconds at least, because less is mostly noise. */
const LEAST_MS = 5
/** No response yet is slow enough, in milliseconds. */
const TIMEOUT_MS = 10_000
/** How often a slow response is asked for again before it counts: the machine may be busy. */
const TRIES = 6

const service = demoService()
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

type Sent = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Where a text is sent, and how a request has it there. */
type Target = {
  name: string
  encode: (text: string) => string
  send: (text: string) => Sent
}

/** Sends a request, and returns its time in milliseconds. */
function timeOf({ method, path, headers, body }: Sent): Promise<number> {
  const { hostname, port } = new URL(service.baseUrl)
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const length = body && { 'Content-Length': Buffer.byteLength(body) }
    const options = {
      hostname,
      port,
      method,
      path,
      agent,
      headers: { ...headers, ...length },
    }
    const sent = request(options, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 431 || (response.statusCode ?? 500) >= 500) {
          reject(new Error(`${method} ${path.slice(0, 60)}: ${response.statusCode}`))
        }
        resolve(performance.now() - started)
      })
    })
    sent.setTimeout(TIMEOUT_MS, () => {
      resolve(TIMEOUT_MS)
      sent.destroy()
    })
    sent.on('error', reject).end(body)
  })
}

const authorized = (more: Record<string, string> = {}) => ({
  Authorization: `Bearer ${service.token}`,
  ...more,
})

type Schema = {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

/** The paths of all values in what a schema describes, of lists that of the first item. */
function placesOf(schema: Schema, place: string[] = []): string[][] {
  const { properties, items, anyOf = [] } = schema
  if (properties) {
    return Object.entries(properties).flatMap(([name, one]) =>
      placesOf(one, [...place, name]),
    )
  }
  if (items) return placesOf(items, [...place, '0'])
  const inner = anyOf.find((one) => one.properties ?? one.items)
  return inner ? placesOf(inner, place) : [place]
}

/** A copy of a value with another one at a place. */
function withValue(value: unknown, [first, ...others]: string[], text: string): unknown {
  if (first === undefined) return text
  const inner = (value as Record<string, unknown> | undefined)?.[first]
  const set = withValue(inner, others, text)
  return first === '0' ? [set] : { ...(value as object), [first]: set }
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const UNKNOWN = '6f1c1a52-8d4b-4d6e-9a63-0c8d2a4a8a11'
const withIds = (path: string) => path.replace(/\{\w+\}/g, UNKNOWN)

const documented = Object.entries(documentedPaths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path: `/v1${path}`,
    operation,
  })),
)

const fields: Target[] = documented.flatMap(({ method, path, operation }) => {
  const { schema, example } = operation.requestBody?.content['application/json'] ?? {}
  return placesOf((schema ?? { anyOf: [] }) as Schema)
    .filter(({ length }) => length > 0)
    .map((place) => ({
      name: `${method} ${path} ${place.join('.')}`,
      encode: inJson,
      send: (text) => ({
        method,
        path: withIds(path),
        headers: authorized({ 'Content-Type': 'application/json' }),
        body: JSON.stringify(withValue(example, place, text)),
      }),
    }))
})

const parameters: Target[] = documented.flatMap(({ method, path, operation }) =>
  (operation.parameters ?? []).flatMap(({ name, in: place }) => {
    if (place === 'header') return []
    const sendIn = (encoded: string) =>
      place === 'query'
        ? `${withIds(path)}?${name}=${encoded}`
        : withIds(path.replace(`{${name}}`, encoded))
    return {
      name: `${place} ${name}`,
      encode: encodeURIComponent,
      send: (text) => ({
        method,
        path: sendIn(encodeURIComponent(text)),
        headers: authorized(),
      }),
    } satisfies Target
  }),
)

/** One target of each name: a parameter of several routes has one schema. */
const onceEach = (targets: Target[]) => [
  ...new Map(targets.map((target) => [target.name, target])).values(),
]

const paths: Target[] = ['/', '/v1/', '/v1/api/', '/confirmar-email%23'].map((start) => ({
  name: `GET ${start}…`,
  encode: encodeURIComponent,
  send: (text) => ({ method: 'GET', path: start + encodeURIComponent(text) }),
}))

/** The requests that a header is sent with. */
const READERS: [method: string, path: string, body?: object][] = [
  ['GET', '/v1/categories'],
  ['GET', '/v1/docs'],
  ['GET', '/nowhere'],
  ['OPTIONS', '/v1/informers'],
  ['POST', '/v1/informers', { first_name: 'Rui' }],
  ['POST', '/v1/auth/password/forgot', { email: 'nobody@example.org' }],
]

/** As bytes, which is how a header is sent. */
const inHeader = (text: string) =>
  Buffer.from(text.replace(/\p{Cc}/gu, ' ')).toString('latin1')

const headers: Target[] = HEADERS.flatMap((name) =>
  ['', ...(name === 'Authorization' ? ['Bearer '] : [])].flatMap((start) =>
    READERS.map(([method, path, body]) => ({
      name: `${method} ${path} ${name}: ${start}`,
      encode: (text) => text,
      send: (text) => ({
        method,
        path,
        headers: authorized({
          ...(body && { 'Content-Type': 'application/json' }),
          [name]: inHeader(start + text),
        }),
        ...(body && { body: JSON.stringify(body) }),
      }),
    })),
  ),
)

const PLAIN: Shape = { start: '', piece: 'a', end: '' }

async function leastTime(sent: Sent, tries = TRIES, enough = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < tries && least > enough && least !== TIMEOUT_MS; turn++) {
    least = Math.min(least, await timeOf(sent))
  }
  return least
}

const results: { name: string; shape: string; ms: number; plain: number }[] = []

/** The shapes that take more than ten times what plain letters take. */
async function slowShapes({ name, encode, send }: Target) {
  const sentOf = (shape: Shape) => send(fill(shape, BYTES, encode))
  const plain = Math.max(LEAST_MS, await leastTime(sentOf(PLAIN), 3))
  const slow: string[] = []
  let worst = { name, shape: '', ms: 0, plain }
  for (const shape of SHAPES) {
    const ms = await leastTime(sentOf(shape), TRIES, MAX_RATIO * plain)
    const text = JSON.stringify(shape)
    if (ms > worst.ms) worst = { ...worst, shape: text, ms }
    if (ms > MAX_RATIO * plain) {
      slow.push(`${text}: ${Math.round(ms)} ms, not ${Math.round(plain)}`)
    }
    if (slow.length === 3 || ms >= TIMEOUT_MS) break
  }
  results.push(worst)
  return slow
}

describe('60 KiB of a hostile text take no more than ten times what plain letters take', () => {
  it('is about every operation, and what the source reads', () => {
    expect(documented).toHaveLength(Object.keys(operations).length)
    expect(HEADERS).toEqual(expect.arrayContaining(['Authorization', 'Idempotency-Key']))
    expect(SHAPES.length).toBeGreaterThan(100)
  })

  it.each([...headers, ...paths, ...onceEach(parameters), ...fields])(
    'in $name',
    async (target) => {
      expect(await slowShapes(target)).toEqual([])
    },
  )

  afterAll(() => {
    results.sort((one, other) => other.ms / other.plain - one.ms / one.plain)
    if (process.env.HOSTILE_TIMES) console.table(results.slice(0, 400))
  })
})
