import { COMPARISONS, type Comparison } from './bench/comparisons.ts'
import { cpuMilliseconds } from './bench/cpu.ts'
import { generateLoad } from './bench/load.ts'
import { median } from './bench/median.ts'
import { CONSTANT, prepareService, type Subject, serveIsolates, startCost } from './bench/subjects.ts'
import { positiveNumber, resolveFromCallerCwd, runCommand } from './lib/command-line.ts'

const NAMES = [...COMPARISONS.map(({ name }) => name), 'start']
const USAGE = `Usage: npm run bench -- [--only NAME] [--beside FOLDER] [--rounds 3]
Compares the service with a constant Worker, and with another checkout of it. Only ratios within a run are comparable.
  --only    one comparison, or all of a kind (search): ${NAMES.join(', ')}
  --beside  the folder of another checkout, after npm ci
  --rounds  rounds of short measurements for each of three starts; a ratio is the median of all`

const STARTS = 3
const CONNECTIONS = [1, 32]
const SECONDS = 0.2
/** Until the runtime has optimized the code. */
const WARM_UP = { connections: 32, seconds: 1.5 }

/** What one subject did in a round: its speed in whatever unit, the CPU of a request, and latencies in milliseconds. */
type Figures = { speed: number; cpu?: number; p50: number; p99?: number }
type Round = Record<string, Figures>

const options = {
  only: { type: 'string' },
  beside: { type: 'string' },
  rounds: { type: 'string', default: '3' },
} as const

await runCommand({ verb: 'measure', usage: USAGE, options }, async ({ only, beside, ...values }) => {
  const rounds = positiveNumber(values.rounds, '--rounds')
  const isChosen = (name: string) => !only || name === only || name.startsWith(`${only}-`)
  const chosen = COMPARISONS.filter(({ name }) => isChosen(name))
  if (!NAMES.some(isChosen)) throw new Error(`no comparison is named ${only}: ${NAMES.join(', ')}.`)

  console.log('Building …')
  const service = await prepareService('service', '.')
  const other = beside ? await prepareService('beside', resolveFromCallerCwd(beside)) : null
  const subjects = [service, ...(other ? [other] : []), CONSTANT]
  try {
    const table = []
    for (const comparison of chosen) {
      console.log(`Measuring ${comparison.name} …`)
      for (const [connections, measured] of await compare(comparison, subjects, rounds))
        table.push({ comparison: comparison.name, connections, ...summarize(measured) })
    }
    if (isChosen('start')) {
      console.log('Measuring start …')
      table.push({ comparison: 'start', ...summarize(await compareStarts(subjects)) })
    }
    console.table(table)
  } finally {
    for (const { remove } of [service, ...(other ? [other] : [])]) remove()
  }
})

/** Starts all subjects several times and measures them in turn; returns the rounds by number of connections. */
async function compare(comparison: Comparison, subjects: Subject[], rounds: number) {
  const measured = new Map<number, Round[]>()
  for (let start = 0; start < STARTS; start++) {
    const served: Served[] = []
    try {
      for (const subject of subjects) served.push(await serve(comparison, subject, served))
      const connectionCounts = comparison.isolates ? [1] : CONNECTIONS
      for (const connections of connectionCounts) {
        const all = comparison.isolates
          ? await measureFirstRequests(served)
          : await measureRounds(served, connections, rounds)
        measured.set(connections, [...(measured.get(connections) ?? []), ...all])
      }
    } finally {
      for (const { stop } of served) await stop()
    }
  }
  return measured
}

type Served = { name: string; urls: URL[]; next: () => string; stop(): Promise<void> }

/** The constant Worker gets the requests of the service, the first to be served. */
async function serve(
  { size, isolates = 0, requests }: Comparison,
  subject: Subject,
  [first]: Served[],
): Promise<Served> {
  const { urls, stop } = await serveIsolates(subject, size, 1 + isolates)
  const [url] = urls
  if (!url) throw new Error('no address')
  const next = subject.stateDir || !first ? await requests(url) : first.next
  if (isolates) await measure(url, next, { connections: 1, seconds: 0 }) // the process is warm, the others are not
  else await measure(url, next, WARM_UP)
  return { name: subject.name, urls, next, stop }
}

async function measureRounds(served: Served[], connections: number, rounds: number): Promise<Round[]> {
  const all: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const figures: Round = {}
    for (const { name, urls, next } of served)
      figures[name] = await measure(urls[0] as URL, next, { connections, seconds: SECONDS })
    all.push(figures)
  }
  return all
}

/** The first request of each isolate but one. */
async function measureFirstRequests(served: Served[]): Promise<Round[]> {
  const all: Round[] = []
  for (let isolate = 1; isolate < (served[0]?.urls.length ?? 0); isolate++) {
    const figures: Round = {}
    for (const { name, urls, next } of served) {
      const { p50 } = await measure(urls[isolate] as URL, next, { connections: 1, seconds: 0 })
      figures[name] = { speed: 1 / p50, p50 }
    }
    all.push(figures)
  }
  return all
}

async function compareStarts(subjects: Subject[]): Promise<Round[]> {
  const all: Round[] = []
  for (let start = 0; start < STARTS; start++) {
    const figures: Round = {}
    for (const subject of subjects) {
      const cpu = await startCost(subject)
      figures[subject.name] = { speed: 1 / cpu, p50: cpu }
    }
    all.push(figures)
  }
  return all
}

async function measure(url: URL, next: () => string, duration: { connections: number; seconds: number }) {
  const before = cpuMilliseconds()
  const { statuses, failed, count, seconds, p50, p99 } = await generateLoad(url, next, duration)
  if (failed > 0 || statuses.join() !== '200')
    throw new Error(`${url}: statuses ${statuses.join()}, ${failed} connections failed.`)
  return { speed: count / seconds, cpu: (cpuMilliseconds() - before) / count, p50, p99 }
}

/** The medians of the ratios of all rounds, in brackets those of the CPU, and of the latencies. */
function summarize(rounds: Round[]): Record<string, string> {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick)).toFixed(2)
  const names = Object.keys(rounds[0] ?? {})
  const figures = (round: Round, name: string) => round[name] as Figures
  const ratio = (one: string, other: string) => {
    const speed = of((round) => figures(round, one).speed / figures(round, other).speed)
    const cpu = of((round) => (figures(round, other).cpu ?? 0) / (figures(round, one).cpu ?? 0))
    return cpu === 'NaN' ? speed : `${speed} (${cpu})`
  }
  const latency = (name: string) => {
    const p50 = of((round) => figures(round, name).p50)
    const p99 = of((round) => figures(round, name).p99 ?? Number.NaN)
    return p99 === 'NaN' ? p50 : `${p50}, ${p99}`
  }
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const))
  return Object.fromEntries([
    ...pairs.map(([one, other]) => [`${one} / ${other}`, ratio(one, other)]),
    ...names.map((name) => [`${name}: p50, p99 (ms)`, latency(name)]),
  ])
}
