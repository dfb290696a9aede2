import { COMPARISONS, type Comparison } from './bench/comparisons.ts'
import { type Figures, generateLoad } from './bench/load.ts'
import { CONSTANT, prepareService, type Subject, serveIsolates, startCost } from './bench/subjects.ts'
import { resolveFromCallerCwd, runCommand } from './lib/command-line.ts'

const NAMES = [...COMPARISONS.map(({ name }) => name), 'start']
const USAGE = `Usage: npm run bench -- [--only NAME] [--beside FOLDER]
Compares the service with a constant Worker, and with another checkout of it. Only ratios within a run are comparable.
  --only    one comparison, or all of a kind (search): ${NAMES.join(', ')}
  --beside  the folder of another checkout, after npm ci`

/** A ratio is the median of all rounds of all starts. */
const STARTS = 3
const ROUNDS = 3
const CONNECTIONS = [1, 32]
const SECONDS = 0.2
/** Until the runtime has optimized the code. */
const WARM_UP_SECONDS = 1.5

/** The figures of each subject, measured in turn. */
type Round = Record<string, Figures>

const options = { only: { type: 'string' }, beside: { type: 'string' } } as const

await runCommand({ verb: 'measure', usage: USAGE, options }, async ({ only, beside }) => {
  const isChosen = (name: string) => !only || name === only || name.startsWith(`${only}-`)
  if (!NAMES.some(isChosen)) throw new Error(`no comparison is named ${only}: ${NAMES.join(', ')}.`)

  console.log('Building …')
  const service = await prepareService('service', '.')
  const others = beside ? [await prepareService('beside', resolveFromCallerCwd(beside))] : []
  const subjects = [service, ...others, CONSTANT]
  try {
    const table = []
    for (const comparison of COMPARISONS.filter(({ name }) => isChosen(name))) {
      console.log(`Measuring ${comparison.name} …`)
      const rounds = await Array.fromAsync(measure(comparison, subjects))
      for (const [connections, measured] of Map.groupBy(rounds, ([connections]) => connections)) {
        const summary = summarize(measured.map(([, round]) => round))
        table.push({ comparison: comparison.name, connections, ...summary })
      }
    }
    if (isChosen('start')) {
      console.log('Measuring start …')
      const rounds = await Array.fromAsync({ length: STARTS }, () =>
        inTurn(subjects, async (subject) => toFigures(await startCost(subject))),
      )
      table.push({ comparison: 'start', ...summarize(rounds) })
    }
    console.table(table)
  } finally {
    for (const { remove } of [service, ...others]) remove()
  }
})

/** Starts all subjects several times, and measures rounds, each with its number of connections. */
async function* measure(comparison: Comparison, subjects: Subject[]): AsyncGenerator<[number, Round]> {
  const { isolates = 0 } = comparison
  for (let start = 0; start < STARTS; start++) {
    const served: Served[] = []
    try {
      for (const subject of subjects) served.push(await serve(comparison, subject, served))
      for (let isolate = 1; isolate <= isolates; isolate++) {
        const first = ({ urls, next }: Served) => generateLoad(urls[isolate] as URL, next, 1, 0)
        yield [1, await inTurn(served, async (subject) => toFigures((await first(subject)).p50))]
      }
      for (const connections of isolates ? [] : CONNECTIONS)
        for (let round = 0; round < ROUNDS; round++)
          yield [
            connections,
            await inTurn(served, ({ urls, next }) => generateLoad(urls[0] as URL, next, connections, SECONDS)),
          ]
    } finally {
      for (const { stop } of served) await stop()
    }
  }
}

type Served = { name: string; urls: URL[]; next: () => string; stop(): Promise<void> }

/** Serves a subject, and warms up its first isolate. The constant Worker gets the requests of the service, the first. */
async function serve(
  { size, isolates = 0, requests }: Comparison,
  subject: Subject,
  [first]: Served[],
): Promise<Served> {
  const { urls, stop } = await serveIsolates(subject, size, 1 + isolates)
  const url = urls[0] as URL
  const next = subject.stateDir || !first ? await requests(url) : first.next
  await (isolates ? generateLoad(url, next, 1, 0) : generateLoad(url, next, 32, WARM_UP_SECONDS))
  return { name: subject.name, urls, next, stop }
}

async function inTurn<Item extends { name: string }>(
  items: Item[],
  work: (item: Item) => Promise<Figures>,
): Promise<Round> {
  const round: Round = {}
  for (const item of items) round[item.name] = await work(item)
  return round
}

/** The figures of something that was done once. */
function toFigures(milliseconds: number): Figures {
  return { speed: 1 / milliseconds, p50: milliseconds }
}

/** The medians of the ratios of all rounds, in brackets those of the CPU, and of the latencies. */
function summarize(rounds: Round[]): Record<string, string> {
  const names = Object.keys(rounds[0] ?? {})
  /** The median, the upper one for an even count. */
  const median = (pick: (figures: (name: string) => Figures) => number) =>
    rounds
      .map((round) => pick((name) => round[name] as Figures))
      .sort((one, other) => one - other)
      [Math.floor(rounds.length / 2)]?.toFixed(2)
  const hasLoad = rounds[0]?.[names[0] ?? '']?.cpu !== undefined
  const ratio = (one: string, other: string) => {
    const cpu = median((of) => (of(other).cpu ?? 0) / (of(one).cpu ?? 0))
    return `${median((of) => of(one).speed / of(other).speed)}${hasLoad ? ` (${cpu})` : ''}`
  }
  const latency = (name: string) =>
    `${median((of) => of(name).p50)}${hasLoad ? `, ${median((of) => of(name).p99 ?? 0)}` : ''}`
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const))
  return Object.fromEntries([
    ...pairs.map(([one, other]) => [`${one} / ${other}`, ratio(one, other)]),
    ...names.map((name) => [`${name}: p50, p99 (ms)`, latency(name)]),
  ])
}
