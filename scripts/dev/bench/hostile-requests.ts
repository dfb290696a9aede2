import type { serve } from '../../lib/local-server.ts'
import { settledCpu, withProcess } from './cpu.ts'

type Call = RequestInit & { path: string; headers: Record<string, string> }

/** Each is sent so often, after one that is not counted. */
const REPETITIONS = 8
/** Cloudflare's limits of a URL and of a header, in bytes; and the service's of a body. */
const MAX_URL = 16_000
const MAX_HEADER = 32_000
const MAX_BODY = 65_000

const fill = (unit: string, bytes: number) =>
  unit.repeat(bytes / new TextEncoder().encode(unit).byteLength)

const get = (path: string, headers: Record<string, string> = {}): Call => ({
  path,
  headers,
})

const post = (path: string, body: string): Call => ({
  path,
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body,
})

const logIn = (body: object) => post('/v1/auth/login', JSON.stringify(body))

const BAD_ESCAPES = fill('%ffa', MAX_URL)
/** Of different classes, which ICU would reorder in quadratic time. */
const MARKS = fill('\u0345\u0334\u0323', MAX_BODY / 2)

/** The dearest requests of somebody without a token that were found, by what they hold. */
const REQUESTS: Record<string, Call> = {
  'a path of bad escapes': get(`/v1/dioceses/${BAD_ESCAPES}`),
  'a path of good escapes': get(`/v1/dioceses/${fill('%2F', MAX_URL)}`),
  'a path of segments': get(`/v1/informers/${fill('a/', MAX_URL)}`),
  'a page that is not there': get(`/${BAD_ESCAPES}`, { Accept: 'text/html' }),
  'a search of bad escapes': get(`/v1/dioceses?search=${BAD_ESCAPES}`),
  'parameters of bad escapes': get(
    `/v1/changelogs?page=%ff&per_page=%ff&version=%ff&${fill('date_to=%ff&', MAX_URL)}`,
  ),
  'unknown parameters': get(`/v1/changelogs?${fill('a=%ff&', MAX_URL)}`),
  'an entity tag': get('/v1/dioceses', { 'If-None-Match': fill('"a",', MAX_HEADER) }),
  'media types': get('/nothing', { Accept: fill('text/html;q=0,', MAX_HEADER) }),
  'a token': get('/v1/cover', { Authorization: `Bearer ${fill('a.', MAX_HEADER)}` }),
  'an email of combining marks': logIn({ email: MARKS, password: 'x' }),
  'an email without an end': post(
    '/v1/auth/password/forgot',
    JSON.stringify({ email: fill('a@', MAX_BODY) }),
  ),
  'nested lists': post('/v1/auth/login', fill('[', MAX_BODY)),
  'many fields': logIn(
    Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, at])),
  ),
}

const HASH = logIn({ email: 'ana@example.org', password: 'Errada2026' })

/** Returns the CPU time of each request as a share of a login's, which is mostly its hash. */
export function measureHostileRequests(
  worker: Parameters<typeof serve>[0],
  stateDir: string,
): Promise<Record<string, number>> {
  return withProcess(worker, stateDir, async (url, pid) => {
    const send = async ({ path, headers, ...call }: Call) => {
      const response = await fetch(new URL(path, url), {
        redirect: 'manual',
        headers: { 'CF-Connecting-IP': crypto.randomUUID(), ...headers },
        ...call,
      })
      await response.arrayBuffer()
    }
    const cpuPerRequest = async (call: Call) => {
      await send(call)
      const before = await settledCpu(pid)
      for (let at = 0; at < REPETITIONS; at++) await send(call)
      return ((await settledCpu(pid)) - before) / REPETITIONS
    }

    const hash = await cpuPerRequest(HASH)
    const shares: Record<string, number> = {}
    for (const [name, call] of Object.entries(REQUESTS)) {
      shares[name] = (await cpuPerRequest(call)) / hash
    }
    return shares
  })
}
