import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'autocannon'
import { FLAG, resolveFromCallerCwd, runCommand, TEXT } from '../lib/command-line.ts'
import { prepareBaselines } from './bench/baselines.ts'
import { CATEGORIES, type Comparison, COMPARISONS } from './bench/comparisons.ts'
import {
  childPids,
  type Figures,
  generateLoad,
  type Length,
  type Target,
} from './bench/load.ts'
import { constant, prepareCheckout, type Subject } from './bench/subjects.ts'

const NAMES = COMPARISONS.map(({ name }) => name).join(', ')
const USAGE = `Usage: npm run bench -- [--only NAME] [--beside FOLDER] [--quick]
Compares the service with a constant Worker, another checkout of it, and other ways to write its
cover. Only ratios within a run are comparable. Linux only.
  --only    one comparison, or all of a kind (search): ${NAMES}
  --beside  the folder of another checkout, after npm ci
  --quick   one short round: whether everything runs`

type Effort = { starts: number; rounds: number; round: Length; warmUp: Length }

/** A ratio is the median of all rounds of all starts. The runtime optimizes code in the warm-up. */
const THOROUGH: Effort = {
  starts: 4,
  rounds: 4,
  round: { duration: 0.4 },
  warmUp: { duration: 1.5 },
}
const QUICK: Effort = {
  starts: 1,
  rounds: 1,
  round: { amount: 64 },
  warmUp: { amount: 64 },
}
const CONNECTIONS = [1, 32]

/** The figures of each subject, measured in turn. */
type Round = Record<string, Figures>
type Rounds = Map<number, Round[]>
type Served = Target & { name: string; request: Request; stop(): Promise<void> }

const command = {
  verb: 'measure',
  usage: USAGE,
  options: { only: TEXT, beside: TEXT, quick: FLAG },
}

await runCommand(command, async ({ only, beside, quick }) => {
  const chosen = COMPARISONS.filter(
    ({ name }) => !only || name === only || name.startsWith(`${only}-`),
  )
  if (chosen.length === 0) throw new Error(`no comparison is named ${only}: ${NAMES}.`)

  console.log('Building …')
  const service = await prepareCheckout('service', '.', CATEGORIES)
  const checkouts = [service]
  try {
    if (beside) {
      const folder = resolveFromCallerCwd(beside)
      checkouts.push(await prepareCheckout('beside', folder, CATEGORIES))
    }
    const subjects: Subject[] = [...checkouts, constant]
    if (chosen.some(({ name }) => name === 'cover')) {
      subjects.push(...(await prepareBaselines(service)))
    }
    console.table(await compare(chosen, subjects, quick ? QUICK : THOROUGH))
  } finally {
    for (const { remove } of checkouts) remove()
  }
})

/** Measures comparisons one after another; returns a line for each and number of connections. */
async function compare(
  comparisons: Comparison[],
  subjects: Subject[],
  effort: Effort,
): Promise<object[]> {
  const table: object[] = []
  for (const comparison of comparisons) {
    console.log(`Measuring ${comparison.name} …`)
    const rounds: Rounds = new Map(CONNECTIONS.map((connections) => [connections, []]))
    const able = subjects.filter(({ only }) => !only || only === comparison.name)
    for (let start = 0; start < effort.starts; start++) {
      await measure(comparison, able, rounds, effort)
    }
    for (const [connections, measured] of rounds) {
      table.push({ comparison: comparison.name, connections, ...summarize(measured) })
    }
  }
  return table
}

/** Starts and warms up all subjects, then adds rounds by their number of connections. */
async function measure(
  comparison: Comparison,
  subjects: Subject[],
  rounds: Rounds,
  effort: Effort,
): Promise<void> {
  const served: Served[] = []
  try {
    for (const subject of subjects) {
      const one = await serve(comparison, subject, served[0])
      served.push(one)
      await generateLoad(one, one.request, 32, effort.warmUp)
    }
    for (const [connections, measured] of rounds) {
      for (let at = 0; at < effort.rounds; at++) {
        const round: Round = {}
        // in alternating order, because the previous subject affects the next
        for (const one of at % 2 ? served.toReversed() : served) {
          round[one.name] = await generateLoad(
            one,
            one.request,
            connections,
            effort.round,
          )
        }
        measured.push(round)
      }
    }
  } finally {
    for (const { stop } of served) await stop()
  }
}

/** Starts a subject, and prepares its requests, or takes those of the service. */
async function serve(
  comparison: Comparison,
  { name, isService, only, start }: Subject,
  service?: Served,
): Promise<Served> {
  const others = childPids()
  const { url, stop } = await start()
  const pids = childPids().filter((pid) => !others.includes(pid))
  const request = service && !isService ? service.request : await comparison.request(url)
  if (service && only) await assertSameData(service, { name, url, request })
  return { name, url, stop, pids, request }
}

/** @throws if a subject's data differ from the service's */
async function assertSameData(
  service: Pick<Served, 'url' | 'request'>,
  other: Pick<Served, 'name' | 'url' | 'request'>,
): Promise<void> {
  const [expected, data] = await Promise.all([service, other].map(readData))
  if (!isDeepStrictEqual(data, expected)) throw new Error(`${other.name}: other data`)
}

async function readData({ url, request }: Pick<Served, 'url' | 'request'>) {
  const headers = request.headers as Record<string, string>
  const response = await fetch(new URL(request.path ?? '', url), { headers })
  return ((await response.json()) as { data: unknown }).data
}

/** The medians of the service's ratios of all rounds, in brackets those of the CPU. */
function summarize(rounds: Round[]): Record<string, string> {
  const [service = '', ...others] = Object.keys(rounds[0] ?? {})
  const median = (ratio: (of: (name: string) => Figures) => number) => {
    const ratios = rounds.map((round) => ratio((name) => round[name] as Figures))
    ratios.sort((one, other) => one - other)
    return ratios[Math.floor(ratios.length / 2)]?.toFixed(2)
  }
  return Object.fromEntries(
    others.map((other) => {
      const speed = median((of) => of(service).speed / of(other).speed)
      const cpu = median((of) => of(other).cpu / of(service).cpu)
      return [`to ${other}`, `${speed} (${cpu})`]
    }),
  )
}
