import { type Comparison, COMPARISONS, type Round } from './bench/comparisons.ts'
import type { Figures } from './bench/load.ts'
import { CONSTANT, prepareService } from './bench/subjects.ts'
import { resolveFromCallerCwd, runCommand } from './lib/command-line.ts'

const NAMES = COMPARISONS.map(({ name }) => name).join(', ')
const USAGE = `Usage: npm run bench -- [--only NAME] [--beside FOLDER]
Compares the service with a constant Worker, and with another checkout of it. Only ratios within a run are comparable.
  --only    one comparison, or all of a kind (search): ${NAMES}
  --beside  the folder of another checkout, after npm ci`

/** A ratio is the median of all rounds of all starts. */
const STARTS = 3

const options = { only: { type: 'string' }, beside: { type: 'string' } } as const

await runCommand({ verb: 'measure', usage: USAGE, options }, async ({ only, beside }) => {
  const isChosen = ({ name }: Comparison) => !only || name === only || name.startsWith(`${only}-`)
  const chosen = COMPARISONS.filter(isChosen)
  if (chosen.length === 0) throw new Error(`no comparison is named ${only}: ${NAMES}.`)

  console.log('Building …')
  const service = await prepareService('service', '.')
  const others = beside ? [await prepareService('beside', resolveFromCallerCwd(beside))] : []
  try {
    const table = []
    for (const { name, measure } of chosen) {
      console.log(`Measuring ${name} …`)
      const rounds = await Array.fromAsync({ length: STARTS }, () => measure([service, ...others, CONSTANT]))
      for (const [connections, ofOne] of Map.groupBy(rounds.flat(), ({ connections }) => connections))
        table.push({ comparison: name, connections, ...summarize(ofOne) })
    }
    console.table(table)
  } finally {
    for (const { remove } of [service, ...others]) remove()
  }
})

/** The medians of the ratios of all rounds, in brackets those of the CPU, and of the latencies. */
function summarize(rounds: Round[]): Record<string, string> {
  const names = Object.keys(rounds[0]?.figures ?? {})
  /** The median, the upper one for an even count; nothing where it is not measured. */
  const median = (pick: (of: (name: string) => Figures) => number, before: string, after = '') => {
    const values = rounds
      .map(({ figures }) => pick((name) => figures[name] as Figures))
      .sort((one, other) => one - other)
    const middle = values[Math.floor(values.length / 2)]
    return Number.isFinite(middle) ? `${before}${middle?.toFixed(2)}${after}` : ''
  }
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const))
  return Object.fromEntries([
    ...pairs.map(([one, other]) => [
      `${one} / ${other}`,
      median((of) => of(one).speed / of(other).speed, '') + median((of) => of(other).cpu / of(one).cpu, ' (', ')'),
    ]),
    ...names.map((name) => [
      `${name}: p50, p99 (ms)`,
      median((of) => of(name).p50, '') + median((of) => of(name).p99, ', '),
    ]),
  ])
}
