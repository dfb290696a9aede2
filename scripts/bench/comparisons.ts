import { randomInt } from 'node:crypto'
import { logIn } from '../lib/demo.ts'
import { requestText } from './load.ts'

export type Comparison = {
  name: string
  /** The number of categories. */
  size: number
  /** How many isolates get one request each; without it, one isolate gets many. */
  isolates?: number
  /** What is sent: a function that returns the next request, for the service at an address. */
  requests: (service: URL) => Promise<() => string>
}

/** The numbers of rows of the three reference lists, and as many as none of them will ever have. */
const SIZES = [50, 100, 281, 1_000]
const FIRST_LOOKUPS = 12
const LONGEST_WORD = 20

const repeat = (text: string) => () => text
const page = async () => repeat(requestText('/v1/categories'))

export const COMPARISONS: Comparison[] = [
  ...[100, 1_000].map((size) => ({ name: `list-${size}`, size, requests: page })),
  ...SIZES.map((size) => ({ name: `search-${size}`, size, requests: distinctSearches })),
  {
    name: 'cover',
    size: 100,
    requests: async (service) => {
      const token = await logIn(new URL('v1', service).href, 'ana@example.org')
      return repeat(requestText('/v1/cover', { Authorization: `Bearer ${token}` }))
    },
  },
  ...SIZES.map((size) => ({
    name: `first-lookup-${size}`,
    size,
    isolates: FIRST_LOOKUPS,
    requests: page,
  })),
]

/** Requests that search for a category by name in random case, never by the same text twice. */
async function distinctSearches(service: URL): Promise<() => string> {
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
