import { randomInt } from 'node:crypto'
import { logIn } from '../lib/demo.ts'
import { requestText } from './load.ts'

/** Prepares what is sent to the service at an address: a function that returns the next request. */
type Requests = (service: URL) => Promise<() => string>

/** What is compared: with how many categories, and what is sent. */
export type Comparison = { name: string; size: number; requests: Requests }

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
export const COMPARISONS: Comparison[] = [
  ...[100, 1_000].map((size) => ({ name: `list-${size}`, size, requests: page })),
  ...[50, 100, 281, 1_000].map((size) => ({ name: `search-${size}`, size, requests: distinctSearches })),
  { name: 'cover', size: 100, requests: cover },
]
