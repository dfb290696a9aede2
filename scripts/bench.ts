import {
  buildWorkers,
  type Comparison,
  prepareComparisons,
  SIZES,
  stopWorkers,
  type Target,
} from './bench/comparisons.ts'
import { generateLoad, type Load } from './bench/load-generator.ts'
import { cpuMilliseconds } from './lib/child-processes.ts'
import { positiveNumber, runCommand } from './lib/command-line.ts'
import { median } from './lib/median.ts'
import { temporaryState } from './lib/service-process.ts'

const USAGE = `Usage: npm run bench -- [--seconds 1] [--rounds 3]
Compares the fully configured service with a constant Worker and a hand-written Worker with only D1, each served by the
same runtime. Takes two to three minutes. Only ratios are comparable.
  --seconds  seconds per measurement
  --rounds   rounds per measurement; a ratio is the median of its rounds`

const CONNECTIONS = [1, 32]

type Figures = Pick<Load, 'rate' | 'p50' | 'p99'> & { cpu: number }
type Row = Record<string, string | number>

const started = Date.now()
const { stateDir: folder, remove } = temporaryState()
const options = {
  seconds: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '3' },
} as const

await runCommand({ verb: 'measure', usage: USAGE, options }, async (values) => {
  const seconds = positiveNumber(values.seconds, '--seconds')
  const rounds = positiveNumber(values.rounds, '--rounds')
  const rows: Row[] = []
  report('building three Workers')
  await buildWorkers(folder)
  for (const size of SIZES) {
    report(`a database of ${size} categories`)
    const comparisons = await prepareComparisons(folder, size)
    for (const connections of CONNECTIONS)
      for (const comparison of comparisons) {
        report(
          `${comparison.what}, ${size} categories, ${connections} connection${connections > 1 ? 's' : ''}`,
        )
        const load = (target: Target) => measure(target, connections, seconds)
        for (const row of await compare(comparison, rounds, load)) rows.push({ ...row, size, connections })
      }
    await stopWorkers()
  }
  console.table(rows, [
    'what',
    'size',
    'connections',
    'against',
    'ratio',
    'ratio of CPU',
    'rate',
    'its rate',
    'p50, p99 (ms)',
  ])
})
await stopWorkers()
remove()

/** Measures all targets in alternating rounds; returns the medians of the figures and of their ratios. */
async function compare(
  { what, subject, baselines }: Comparison,
  rounds: number,
  load: (target: Target) => Promise<Figures>,
): Promise<Row[]> {
  const measured: { own: Figures; others: Record<string, Figures> }[] = []
  for (let round = 0; round <= rounds; round++) {
    const own = await load(subject)
    const others: Record<string, Figures> = {}
    for (const [name, target] of Object.entries(baselines)) others[name] = await load(target)
    if (round > 0) measured.push({ own, others }) // the first warms up
  }
  return Object.keys(baselines).map((name) => {
    const of = (pick: (own: Figures, other: Figures) => number) =>
      median(measured.map(({ own, others }) => pick(own, others[name] as Figures)))
    return {
      what,
      against: name,
      ratio: of((own, other) => own.rate / other.rate).toFixed(2),
      'ratio of CPU': of((own, other) => other.cpu / own.cpu).toFixed(2),
      rate: Math.round(of((own) => own.rate)),
      'its rate': Math.round(of((_, other) => other.rate)),
      'p50, p99 (ms)': `${of((own) => own.p50).toFixed(2)}, ${of((own) => own.p99).toFixed(2)}`,
    }
  })
}

async function measure({ url, next }: Target, connections: number, seconds: number): Promise<Figures> {
  const before = cpuMilliseconds()
  const load = await generateLoad(url, next, { connections, seconds })
  const statuses = [...load.statuses.keys()].join()
  if (load.failed > 0 || statuses !== '200')
    throw new Error(`${url}: statuses ${statuses}, ${load.failed} failed`)
  const responses = load.statuses.get(200) ?? 0
  return { ...load, cpu: (cpuMilliseconds() - before) / responses }
}

function report(line: string): void {
  console.log(`${String(Math.round((Date.now() - started) / 1000)).padStart(4)} s  ${line}`)
}
