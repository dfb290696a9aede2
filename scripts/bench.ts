import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { type Comparison, chart, type Figures } from './bench/chart.ts'
import { type Growth, measureGrowth } from './bench/growth.ts'
import { DISTANCE_MS } from './bench/settings.ts'
import { configuredVariables } from './lib/configuration.ts'
import { withLocalDatabase } from './lib/database.ts'
import { demoDocument, logIn } from './lib/demo.ts'
import { buildWorker, serve } from './lib/local-server.ts'
import { stateFiles } from './lib/local-state.ts'
import { median } from './lib/median.ts'
import { applyDocument } from './provisioning/apply.ts'

const ROUNDS = 5
const ROUND_SECONDS = 1
const DISTANT_REQUESTS = 20
const CHART = 'scripts/bench/figures.svg'
const PORT = 8801

type Target = { name: string; url: string; headers?: Record<string, string> }
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const variables = { ...configuredVariables(), JWT_SECRET: 'a secret of the benchmark, longer than 32 bytes' }
const stops: (() => Promise<void>)[] = []
const started = Date.now()
const say = (line: string) =>
  console.log(`${String(Math.round((Date.now() - started) / 1000)).padStart(4)} s  ${line}`)

try {
  await bench()
} finally {
  for (const stop of stops) await stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Measures the service, in one run, beside the limit of the runtime and the limit of the platform. */
async function bench(): Promise<void> {
  say('preparing the data and four Workers')
  const template = join(folder, 'template')
  await withLocalDatabase(template, (database) => applyDocument(database, demoDocument()))
  const service = await start('service', PORT)
  const handwritten = await start('handwritten', PORT + 1, 'scripts/bench/handwritten.ts')
  const distant = await start('distance', PORT + 2, 'scripts/bench/distance.ts')
  const answer = await fetch(`${service}v1/categories`)
  const headers = [...answer.headers].filter(([name]) => name !== 'content-length')
  const constant = await start('constant', PORT + 3, 'scripts/bench/constant.ts', {
    ANSWER: { body: await answer.text(), headers },
  })

  const past = { 'x-d1-bookmark': '0' } // asks past the memory of the isolate: each is a first lookup
  const own = { Authorization: `Bearer ${await logIn(`${service}v1`, 'ana@example.org')}` }
  const list = (name: string, url: string, headers = {}): Target => ({
    name,
    url: `${url}v1/categories`,
    headers,
  })
  const cover = (name: string, url: string): Target => ({ name, url: `${url}v1/cover`, headers: own })
  const comparisons: Comparison[] = []
  for (const connections of [1, 32]) {
    comparisons.push(
      await compare(
        'category list, repeated',
        connections,
        list('service', service),
        list('constant Worker', constant),
      ),
      await compare(
        'category list, first',
        connections,
        list('service', service, past),
        list('hand-written SQL', handwritten),
      ),
      await compare('cover', connections, cover('service', service), cover('hand-written SQL', handwritten)),
    )
  }

  say(`a database ${DISTANCE_MS} ms away`)
  const distances = {
    'category list, repeated': await medianTime(list('', distant)),
    'category list, first': await medianTime(list('', distant, past)),
    cover: await medianTime(cover('', distant)),
    'hand-written SQL, list': await medianTime(list('', `${distant}handwritten/`)),
    'hand-written SQL, cover': await medianTime(cover('', `${distant}handwritten/`)),
  }

  say('growing tables')
  const growth = await withLocalDatabase(template, measureGrowth)

  report(comparisons, distances, growth)
  writeFileSync(CHART, chart(comparisons))
  say(`chart in ${CHART}`)
}

/** Serves one Worker on a copy of the data; returns its address. */
async function start(name: string, port: number, script?: string, more = {}): Promise<string> {
  const stateDir = join(folder, name)
  cpSync(join(folder, 'template'), stateDir, { recursive: true })
  await buildWorker(stateFiles(stateDir).build, script)
  const { url, stop } = await serve({
    port,
    stateDir,
    script,
    variables: { ...variables, ...more },
    isQuiet: true,
  })
  stops.push(stop)
  return String(url)
}

/** Two targets in turn, round by round; the median of the rounds and of their ratios. */
async function compare(what: string, connections: number, ours: Target, theirs: Target): Promise<Comparison> {
  say(`${what}, ${connections} connection${connections > 1 ? 's' : ''}`)
  const rounds: { ours: Figures; theirs: Figures }[] = []
  await load(ours, connections)
  await load(theirs, connections)
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ ours: await load(ours, connections), theirs: await load(theirs, connections) })
  }
  const figures = (of: 'ours' | 'theirs'): Figures => ({
    rate: median(rounds.map((round) => round[of].rate)),
    p50: median(rounds.map((round) => round[of].p50)),
    p99: median(rounds.map((round) => round[of].p99)),
  })
  const ratio = median(rounds.map((round) => round.ours.rate / round.theirs.rate))
  return { what, connections, ratio, ours: figures('ours'), theirs: figures('theirs'), against: theirs.name }
}

async function load({ url, headers = {} }: Target, connections: number): Promise<Figures> {
  const result = await autocannon({ url, headers, connections, duration: ROUND_SECONDS })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`)
  return { rate: result.requests.total / result.duration, p50: result.latency.p50, p99: result.latency.p99 }
}

/** Milliseconds that an answer takes, the median of a few asked for one after another. */
async function medianTime({ url, headers = {} }: Target): Promise<number> {
  const times: number[] = []
  for (let request = 0; request < DISTANT_REQUESTS; request++) {
    const start = performance.now()
    const response = await fetch(url, { headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${url}: ${response.status}`)
    times.push(performance.now() - start)
  }
  return median(times)
}

function report(comparisons: Comparison[], distances: Record<string, number>, growth: Growth[]): void {
  const whole = (number: number) => Math.round(number).toLocaleString('en')
  console.table(
    comparisons.map(({ what, connections, ratio, ours, theirs, against }) => ({
      what,
      connections,
      'requests/s': whole(ours.rate),
      against,
      'its requests/s': whole(theirs.rate),
      ratio: ratio.toFixed(2),
      'p50, p99 (ms)': `${ours.p50}, ${ours.p99}`,
      'its p50, p99': `${theirs.p50}, ${theirs.p99}`,
    })),
  )
  console.table(
    Object.entries(distances).map(([what, milliseconds]) => ({
      [`database ${DISTANCE_MS} ms away`]: what,
      'p50 (ms)': milliseconds.toFixed(1),
      'round trips': (milliseconds / DISTANCE_MS).toFixed(2),
    })),
  )
  const smallest = (what: string) => growth.find((row) => row.what === what)?.milliseconds ?? Number.NaN
  console.table(
    growth.map(({ what, size, rowsRead, milliseconds }) => ({
      what,
      size: whole(size),
      'rows read': whole(rowsRead),
      'time, to the smallest': (milliseconds / smallest(what)).toFixed(2),
    })),
  )
}
