import { randomInt } from 'node:crypto'
import type { Request } from 'autocannon'
import { logIn } from '../lib/demo.ts'

/** What is sent; `request` prepares it with a service at an address. */
export type Comparison = { name: string; request(service: URL): Promise<Request> }

/** Each list by its length; nobody expects one of 1,000. */
const LISTS = {
  50: '/v1/treatment-pronouns',
  281: '/v1/dioceses',
  1000: '/v1/categories',
}

/** What the demo data are brought to. */
export const CATEGORIES = 1000

export const COMPARISONS: Comparison[] = [
  ...Object.entries(LISTS).map(([size, path]) => ({
    name: `list-${size}`,
    request: async () => ({ path }),
  })),
  ...Object.entries(LISTS).map(([size, path]) => ({
    name: `search-${size}`,
    request: (service: URL) => distinctSearches(service, path),
  })),
  { name: 'cover', request: cover },
]

async function cover(service: URL): Promise<Request> {
  const token = await logIn(new URL('v1', service).href, 'ana@example.org')
  return { path: '/v1/cover', headers: { Authorization: `Bearer ${token}` } }
}

const LONGEST_WORD = 20

/** Searches a list for a name of it in random case, never for the same text twice. */
async function distinctSearches(service: URL, path: string): Promise<Request> {
  const response = await fetch(new URL(`${path}?per_page=100`, service))
  const { data } = (await response.json()) as { data: { name: string }[] }
  const sent = new Set<string>()
  const nextWord = () => {
    let word = ''
    do {
      const { name = '' } = data[randomInt(data.length)] ?? {}
      word = name.slice(0, LONGEST_WORD).replace(/\p{L}/gu, inRandomCase)
    } while (sent.has(word))
    sent.add(word)
    return word
  }
  const setupRequest = (request: Request): Request => ({
    ...request,
    path: `${path}?search=${encodeURIComponent(nextWord())}`,
  })
  return { setupRequest }
}

function inRandomCase(letter: string): string {
  return randomInt(2) ? letter.toUpperCase() : letter.toLowerCase()
}
