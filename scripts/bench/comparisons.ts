import { randomInt } from 'node:crypto'
import { logIn } from '../lib/demo.ts'
import { type Figures, figuresOf, generateLoad, requestText } from './load.ts'
import { type Served, startCost, type Subject, withServed } from './subjects.ts'

/** The figures of each subject, measured in turn. */
export type Round = { connections: number; figures: Record<string, Figures> }
/** Measures all subjects, started anew. */
export type Comparison = { name: string; measure: (subjects: Subject[]) => Promise<Round[]> }

/** Returns a function that returns the next request, for the service at an address. */
type Requests = (service: URL) => Promise<() => string>

/** The numbers of rows of the three reference lists, and as many as none of them will ever have. */
const SIZES = [50, 100, 281, 1_000]
const CONNECTIONS = [1, 1, 1, 32, 32, 32]
const SECONDS = 0.2
/** Until the runtime has optimized the code. */
const WARM_UP_SECONDS = 1.5
/** Isolates that get one request each. */
const FIRST_LOOKUPS = 12
const LONGEST_WORD = 20

const page = async () => () => requestText('/v1/categories')

const cover: Requests = async (service) => {
  const token = await logIn(new URL('v1', service).href, 'ana@example.org')
  return () => requestText('/v1/cover', { Authorization: `Bearer ${token}` })
}

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

export const COMPARISONS: Comparison[] = [
  ...[100, 1_000].map((size) => ({ name: `list-${size}`, measure: underLoad(size, page) })),
  ...SIZES.map((size) => ({ name: `search-${size}`, measure: underLoad(size, distinctSearches) })),
  { name: 'cover', measure: underLoad(100, cover) },
  ...SIZES.map((size) => ({ name: `first-lookup-${size}`, measure: firstLookups(size) })),
  { name: 'start', measure: async (subjects) => [{ connections: 0, figures: await inTurn(subjects, startCost) }] },
]

/** Repeats requests, once each subject is warm. The constant Worker gets those of the service. */
function underLoad(size: number, requests: Requests): Comparison['measure'] {
  return (subjects) =>
    withServed(subjects, size, 1, async (served) => {
      const loads: { name: string; url: URL; next: () => string }[] = []
      for (const { name, isService, urls } of served) {
        const url = urls[0] as URL
        const next = isService || !loads[0] ? await requests(url) : loads[0].next
        await generateLoad(url, next, 32, WARM_UP_SECONDS)
        loads.push({ name, url, next })
      }
      return Array.fromAsync(CONNECTIONS, async (connections) => ({
        connections,
        figures: await inTurn(loads, ({ url, next }) => generateLoad(url, next, connections, SECONDS)),
      }))
    })
}

/** Sends one request to each isolate. The first isolate of a process is not measured. */
function firstLookups(size: number): Comparison['measure'] {
  return (subjects) =>
    withServed(subjects, size, 1 + FIRST_LOOKUPS, async (served) => {
      const next = await page()
      const rounds = await Array.fromAsync({ length: 1 + FIRST_LOOKUPS }, async (_, isolate) => {
        const first = ({ urls }: Served) => generateLoad(urls[isolate] as URL, next, 1, 0)
        return { connections: 1, figures: await inTurn(served, async (one) => figuresOf((await first(one)).p50)) }
      })
      return rounds.slice(1)
    })
}

async function inTurn<Item extends { name: string }>(
  items: Item[],
  work: (item: Item) => Promise<Figures>,
): Promise<Round['figures']> {
  const figures: Round['figures'] = {}
  for (const item of items) figures[item.name] = await work(item)
  return figures
}
