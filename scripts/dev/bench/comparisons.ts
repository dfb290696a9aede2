import { randomInt } from 'node:crypto'
import type { Request } from 'autocannon'
import * as z from 'zod/mini'
import { DEMO_ADMINISTRATOR, logIn } from '../../commands/provisioning/demo.ts'
import { create, readList } from '../../commands/service/service-client.ts'

/** Requests to compare; `request` prepares them with a service at an address. */
export type Comparison = { name: string; request(service: URL): Promise<Request> }

/** Each list by its length; nobody expects one of 1,000. */
const LISTS = {
  50: '/v1/treatment-pronouns',
  281: '/v1/dioceses',
  1000: '/v1/categories',
}

/** The number of categories to add to the demo data. */
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
  { name: 'informer', request: informer },
  { name: 'completion', request: completion },
]

const baseUrlOf = (service: URL) => new URL('v1', service).href
const authorizationOf = (token: string) => ({ Authorization: `Bearer ${token}` })

async function cover(service: URL): Promise<Request> {
  const token = await logIn(baseUrlOf(service), 'ana@example.org')
  return { path: '/v1/cover', headers: authorizationOf(token) }
}

const withId = z.object({ id: z.string() })
const processItem = z.object({
  groups: z.array(z.object({ id: z.string(), questionnaires: z.array(withId) })),
})

/** An administrator, new informers of a group, and a questionnaire of it. */
async function newInformers(service: URL, count: number) {
  const baseUrl = baseUrlOf(service)
  const token = await logIn(baseUrl, DEMO_ADMINISTRATOR.email)
  const processes = await readList({ baseUrl, token }, '/processes', processItem)
  const groups = processes.flatMap((process) => process.groups)
  const group = groups.find(({ questionnaires }) => questionnaires.length > 0)
  const body = { first_name: 'Nome', group_id: group?.id }
  const ids: string[] = []
  while (ids.length < count) {
    ids.push((await create({ baseUrl, token }, '/informers', body, withId)).id)
  }
  return { token, ids, questionnaireId: group?.questionnaires[0]?.id }
}

async function informer(service: URL): Promise<Request> {
  const { token, ids } = await newInformers(service, 1)
  return { path: `/v1/informers/${ids[0]}`, headers: authorizationOf(token) }
}

/** More than there are connections, so that no two requests are for one informer. */
const COMPLETING = 50

/** Records completions of one informer after another, then deletes them, and so on. */
async function completion(service: URL): Promise<Request> {
  const { token, ids, questionnaireId } = await newInformers(service, COMPLETING)
  let sent = 0
  const setupRequest = (request: Request): Request => {
    const id = ids[sent % COMPLETING]
    const method = Math.floor(sent / COMPLETING) % 2 ? 'DELETE' : 'PUT'
    sent += 1
    const path = `/v1/informers/${id}/questionnaires/${questionnaireId}`
    return { ...request, method, path }
  }
  return { headers: authorizationOf(token), setupRequest }
}

const LONGEST_WORD = 20

/** Searches a list for its names in random case, never twice for the same text. */
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
