import { randomInt } from 'node:crypto'
import { type Figures, generateLoad, requestText } from './bench/load.ts'
import { CONSTANT, prepareService, serve, type Subject } from './bench/subjects.ts'
import { resolveFromCallerCwd, runCommand, TEXT } from './lib/command-line.ts'
import { logIn } from './lib/demo.ts'

/** Prepares what is sent to the service at an address: a function that returns the next request. */
type Requests = (service: URL) => Promise<() => string>

/** What is compared: with how many categories, and what is sent. */
type Comparison = {
  name: string
  size: number
  requests: Requests
}

const page: Requests = async () => () => requestText('/v1/categories')

const cover: Requests = async (service) => {
  const token = await logIn(new URL('v1', service).href, 'ana@example.org')
  return () => requestText('/v1/cover', { Authorization: `Bearer ${token}` })
}

const LONGEST_WORD = 20

/** Searches for a category by name in random case, never by the same text twice. */
const distinctSearches: Requests = async (service) => {
  const response = await fetch(new URL('v1/categories?per_page=100', service))
  const { data } = (await response.json()) as { data: { name: string }[] }
  const sent = new Set<string>()
  return () => {
    let word = ''
    do {
      const { name = '' } = data[randomInt(data.length)] ?? {}
      word = name.slice(0, LONGEST_WORD).replace(/\p{L}/gu, (letter) => {
        return randomInt(2) ? letter.toUpperCase() : letter.toLowerCase()
      })
    } while (sent.has(word))
    sent.add(word)
    return requestText(`/v1/categories?search=${encodeURIComponent(word)}`)
  }
}

/** The three reference lists have 50, 100 and 281 rows; none of them will ever have 1,000. */
const COMPARISONS: Comparison[] = [
  ...[100, 1_000].map((size) => ({
    name: `list-${size}`,
    size,
    requests: page,
  })),
  ...[50, 100, 281, 1_000].map((size) => ({
    name: `search-${size}`,
    size,
    requests: distinctSearches,
  })),
  {
    name: 'cover',
    size: 100,
    requests: cover,
  },
]

const NAMES = COMPARISONS.map(({ name }) => name).join(', ')
const USAGE = `Usage: npm run bench -- [--only NAME] [--beside FOLDER]
Compares the service with a constant Worker, and with another checkout of it. Only ratios within a run are comparable.
  --only    one comparison, or all of a kind (search): ${NAMES}
  --beside  the folder of another checkout, after npm ci`

/** A ratio is the median of all rounds of all starts. */
const STARTS = 4
const ROUNDS = 4
const CONNECTIONS = [1, 32]
const SECONDS = 0.4
/** Until the runtime has optimized the code. */
const WARM_UP_SECONDS = 1.5

/** The figures of each subject, measured in turn. */
type Round = Record<string, Figures>

const options = { only: TEXT, beside: TEXT }
await runCommand(
  {
    verb: 'measure',
    usage: USAGE,
    options,
  },
  async ({ only, beside }) => {
    const chosen = COMPARISONS.filter(
      ({ name }) => !only || name === only || name.startsWith(`${only}-`),
    )
    if (chosen.length === 0) {
      throw new Error(`no comparison is named ${only}: ${NAMES}.`)
    }

    console.log('Building …')
    const service = await prepareService('service', '.')
    const others = beside
      ? [await prepareService('beside', resolveFromCallerCwd(beside))]
      : []
    try {
      const table = []
      for (const comparison of chosen) {
        console.log(`Measuring ${comparison.name} …`)
        const rounds = new Map(
          CONNECTIONS.map((connections) => [connections, [] as Round[]]),
        )
        for (let start = 0; start < STARTS; start++) {
          await measure(comparison, [service, ...others, CONSTANT], rounds)
        }
        for (const [connections, measured] of rounds) {
          table.push({
            comparison: comparison.name,
            connections,
            ...summarize(measured),
          })
        }
      }
      console.table(table)
    } finally {
      for (const { remove } of [service, ...others]) {
        remove()
      }
    }
  },
)

/** Starts and warms up all subjects, then adds rounds by their number of connections. */
async function measure(
  { size, requests }: Comparison,
  subjects: Subject[],
  rounds: Map<number, Round[]>,
) {
  const served: {
    name: string
    url: URL
    next: () => string
    stop: () => Promise<void>
  }[] = []
  try {
    for (const subject of subjects) {
      const { url, stop } = await serve(subject, size)
      // the constant Worker gets the requests of the service
      const next =
        served[0] && subject === CONSTANT ? served[0].next : await requests(url)
      served.push({
        name: subject.name,
        url,
        next,
        stop,
      })
      await generateLoad(url, next, 32, WARM_UP_SECONDS)
    }
    for (const [connections, measured] of rounds) {
      for (let at = 0; at < ROUNDS; at++) {
        const round: Round = {}
        // in both directions, because who comes after another is slower or faster
        for (const { name, url, next } of at % 2 ? served.toReversed() : served) {
          round[name] = await generateLoad(url, next, connections, SECONDS)
        }
        measured.push(round)
      }
    }
  } finally {
    for (const { stop } of served) {
      await stop()
    }
  }
}

/** The medians of the ratios of all rounds, in brackets those of the CPU, and of the latencies. */
function summarize(rounds: Round[]): Record<string, string> {
  const names = Object.keys(rounds[0] ?? {})
  const pairs = names.flatMap((one, at) =>
    names.slice(at + 1).map((other) => [one, other] as const),
  )
  const median = (pick: (of: (name: string) => Figures) => number) =>
    rounds
      .map((round) => pick((name) => round[name] as Figures))
      .sort((one, other) => one - other)
      [Math.floor(rounds.length / 2)]?.toFixed(2)
  const ratio = (one: string, other: string) =>
    `${median((of) => of(one).speed / of(other).speed)} (${median((of) => of(other).cpu / of(one).cpu)})`
  const latency = (name: string) =>
    `${median((of) => of(name).p50)}, ${median((of) => of(name).p99)}`
  return Object.fromEntries([
    ...pairs.map(([one, other]) => [`${one} / ${other}`, ratio(one, other)]),
    ...names.map((name) => [`${name}: p50, p99 (ms)`, latency(name)]),
  ])
}
