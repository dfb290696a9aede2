import {
  buildWorkers,
  COMPARISONS,
  type Comparison,
  fillDatabases,
  SIZES,
  startWorker,
} from './bench/comparisons.ts'
import { generateLoad, type Load } from './bench/load-generator.ts'
import { cpuMilliseconds } from './lib/child-processes.ts'
import { positiveNumber, runCommand } from './lib/command-line.ts'
import { median } from './lib/median.ts'
import { temporaryState } from './lib/service-process.ts'

const USAGE = `Usage: npm run bench -- [--seconds 0.25] [--rounds 5]
Compares the fully configured service with a constant Worker and a hand-written Worker with only D1, each served by the
same runtime. Takes about six minutes. Only ratios are comparable.
  --seconds  seconds per measurement: short ones alternate, because the machine's speed changes
  --rounds   rounds of measurements with the same Workers; a ratio is the median of all rounds`

const CONNECTIONS = [1, 32]
/** How often the Workers are started: a process can be a third slower than the next. */
const STARTS = 3

type Duration = { connections: number; seconds: number }
/** Until the runtime has optimized the code of both. */
const WARM_UP: Duration = { connections: 32, seconds: 3 }
const ONE_REQUEST: Duration = { connections: 1, seconds: 0 }

type Figures = Pick<Load, 'rate' | 'p50' | 'p99'> & { cpu: number }
/** The figures of one round, of the service and of one baseline. */
type Pair = { own: Figures; other: Figures }
/** Pairs by what they compare. */
type Measured = Map<string, Pair[]>

const started = Date.now()
const { stateDir: folder, remove } = temporaryState()
const options = {
  seconds: { type: 'string', default: '0.25' },
  rounds: { type: 'string', default: '5' },
} as const

await runCommand({ verb: 'measure', usage: USAGE, options }, async (values) => {
  const seconds = positiveNumber(values.seconds, '--seconds')
  const rounds = positiveNumber(values.rounds, '--rounds')
  report('building the Workers')
  await buildWorkers(folder)
  const measured: Measured = new Map()
  for (const size of SIZES) {
    await fillDatabases(folder, size)
    for (let start = 1; start <= STARTS; start++) {
      report(`${size} categories, start ${start} of ${STARTS}`)
      for (const comparison of COMPARISONS.filter(({ sizes }) => sizes.includes(size)))
        for (let times = comparison.isCold ? rounds : 1; times > 0; times--)
          await compare(comparison, size, { rounds, seconds }, measured)
    }
  }
  console.table([...measured].map(([key, pairs]) => summarize(key, pairs)))
})
remove()

/** Starts the Workers of a comparison, so that none is warmer than another, and measures them in turn. */
async function compare(
  { what, subject, baselines, isCold, requests }: Comparison,
  size: number,
  { rounds, seconds }: { rounds: number; seconds: number },
  measured: Measured,
): Promise<void> {
  const own = await startWorker(folder, subject, size)
  const others = await Promise.all(baselines.map((baseline) => startWorker(folder, baseline, size)))
  try {
    const next = await requests(own.url)
    const measureAll = async (duration: Duration) => {
      const figures = await measure(own.url, next, duration)
      for (const [index, { url }] of others.entries()) {
        const key = JSON.stringify([what, size, duration.connections, baselines[index]])
        const pair = { own: figures, other: await measure(url, next, duration) }
        measured.set(key, [...(measured.get(key) ?? []), pair])
      }
    }
    if (isCold) return await measureAll(ONE_REQUEST)
    for (const { url } of [own, ...others]) await measure(url, next, WARM_UP)
    for (const connections of CONNECTIONS)
      for (let round = 0; round < rounds; round++) await measureAll({ connections, seconds })
  } finally {
    for (const { stop } of [own, ...others]) await stop()
  }
}

/** The medians of the rounds' figures and of their ratios. */
function summarize(key: string, pairs: Pair[]): Record<string, string | number> {
  const [what, size, connections, against] = JSON.parse(key)
  const of = (pick: (pair: Pair) => number) => median(pairs.map(pick))
  return {
    what,
    size,
    connections,
    against,
    ratio: of(({ own, other }) => own.rate / other.rate).toFixed(2),
    'ratio of CPU': of(({ own, other }) => other.cpu / own.cpu).toFixed(2),
    rate: Math.round(of(({ own }) => own.rate)),
    'its rate': Math.round(of(({ other }) => other.rate)),
    'p50, p99 (ms)': `${of(({ own }) => own.p50).toFixed(2)}, ${of(({ own }) => own.p99).toFixed(2)}`,
  }
}

async function measure(url: URL, next: () => string, duration: Duration): Promise<Figures> {
  const before = cpuMilliseconds()
  const load = await generateLoad(url, next, duration)
  const statuses = [...load.statuses.keys()].join()
  if (load.failed > 0 || statuses !== '200')
    throw new Error(`${url}: statuses ${statuses}, ${load.failed} failed`)
  const responses = load.statuses.get(200) ?? 0
  return { ...load, cpu: (cpuMilliseconds() - before) / responses }
}

function report(line: string): void {
  console.log(`${String(Math.round((Date.now() - started) / 1000)).padStart(4)} s  ${line}`)
}
