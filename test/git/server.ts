import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestProject } from 'vitest/node'

/** The repository under one name and the behaviour of the server. A test sets it with a PUT. */
export type Scenario = {
  /** Oldest first. By default, the parent of each is the previous one. */
  commits: ServedCommit[]
  /** The head of the branch; by default the last commit. */
  head?: string
  /** Commits reachable only from tags. */
  offBranch?: ServedCommit[]
  tags?: { name: string; sha: string }[]
  behaviour?:
    | 'github'
    | 'gitea'
    | 'linkless'
    | 'linkless and short'
    | 'knows no pages'
    | 'sends too much'
    | 'limits until the end of time'
    | 'stalls'
    | 'stalls in the body'
    | 'breaks off on page 2'
    | 'serves HTML'
    | 'sends an unexpected response'
    | 'sends no dates'
    | 'has no end'
    | 'fails'
    | 'limits'
    | 'limits until a reset'
    | 'limits until a past reset'
    | 'fails with requests left'
    | 'is not there'
    | 'is empty'
    | 'has moved'
    | 'has moved to another host'
    | 'has moved to another scheme'
    | 'moves in circles'
    | 'moves five times'
    | 'cannot compare'
    | 'limits comparisons'
    | 'cuts comparisons off'
    | 'sends too much to compare'
    | 'sends long messages'
  /** Fails one request since the scenario was set, the first being 1, with this status. */
  fault?: { request: number; status: number }
}

type ServedCommit = {
  sha: string
  message: string
  date: string
  parents?: string[]
  /** It has an author alone. */
  isWithoutCommitter?: boolean
}

/** The requests that the server received under one name. */
export type ReceivedRequest = {
  path: string
  query: Record<string, string>
  authorization: string | null
  accept: string | null
  userAgent: string | null
}

type State = { scenario: Scenario; requests: ReceivedRequest[]; sinceSet: number }

declare module 'vitest' {
  interface ProvidedContext {
    gitServer: string
  }
}

/**
 * A git server in the shape of the GitHub REST API, real HTTP on loopback, for the tests that run in workerd:
 * `/NAME/repos/office/service/commits`, `/tags` and `/compare/BASE...HEAD`, set up by `PUT /NAME` and read back
 * by `GET /NAME`.
 */
export default async function serveGit(project: TestProject) {
  const states = new Map<string, State>()
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [, name = '', ...path] = url.pathname.split('/')
    if (request.method === 'PUT') {
      states.set(name, {
        scenario: JSON.parse(await bodyOf(request)),
        requests: states.get(name)?.requests ?? [],
        sinceSet: 0,
      })
      response.end('{}')
      return
    }
    const state = states.get(name)
    if (!state) return send(response, 404, {})
    if (path.length === 0) return send(response, 200, state.requests)
    const query = Object.fromEntries(url.searchParams)
    const { authorization = null, accept = null, 'user-agent': userAgent = null } = request.headers
    state.requests.push({ path: path.join('/'), query, authorization, accept, userAgent })
    const { fault } = state.scenario
    if (++state.sinceSet !== fault?.request) behave(state.scenario, path, query, request, response)
    else send(response, fault.status, {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  project.provide('gitServer', `http://127.0.0.1:${address.port}`)
  return async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}

function behave(
  scenario: Scenario,
  path: string[],
  query: Record<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const page = Number(query.page)
  switch (scenario.behaviour) {
    case 'stalls':
      return
    case 'stalls in the body':
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.write('[{"sha":')
      return
    case 'breaks off on page 2':
      if (page < 2) break
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100000' })
      response.write('[{"sha":')
      setTimeout(() => response.destroy(), 20)
      return
    case 'serves HTML':
      response.writeHead(200, { 'Content-Type': 'text/html' })
      response.end('<html>')
      return
    case 'sends an unexpected response':
      send(response, 200, { commits: [] })
      return
    case 'sends no dates':
      if (path.at(-1) === 'tags') break
      send(response, 200, [{ sha: 'a'.repeat(40), commit: { message: 'feat: x' } }])
      return
    case 'fails':
      send(response, 500, { message: 'down' })
      return
    case 'limits':
      send(response, 429, {}, { 'Retry-After': '120' })
      return
    case 'limits until a reset':
      send(response, 403, {}, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': secondsFromNow(90) })
      return
    case 'limits until a past reset':
      send(response, 403, {}, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': secondsFromNow(-90) })
      return
    case 'fails with requests left':
      send(response, 503, {}, { 'X-RateLimit-Remaining': '10', 'X-RateLimit-Reset': secondsFromNow(90) })
      return
    case 'limits until the end of time':
      send(response, 403, {}, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1e300' })
      return
    case 'knows no pages':
      send(response, 200, path.at(-1) === 'tags' ? [] : commitRows(scenario))
      return
    case 'sends too much':
    case 'sends too much to compare':
      if (scenario.behaviour === 'sends too much to compare' && path.at(-2) !== 'compare') break
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(' '.repeat(11 * 1024 * 1024))
      return
    case 'is not there':
      send(response, 404, { message: 'Not Found' })
      return
    case 'is empty':
      send(response, 409, { message: 'Git Repository is empty.' })
      return
    case 'moves in circles':
      send(response, 302, {}, { Location: request.url ?? '/' })
      return
    case 'moves five times': {
      const moves = Number(query.moves ?? 0)
      if (moves === 5) break
      send(response, 302, {}, { Location: `?${new URLSearchParams({ ...query, moves: String(moves + 1) })}` })
      return
    }
    case 'has moved':
      if (path[0] === 'moved') break
      send(response, 301, {}, { Location: (request.url ?? '').replace('/repos/', '/moved/') })
      return
    case 'has moved to another host':
    case 'has moved to another scheme': {
      const isHost = scenario.behaviour === 'has moved to another host'
      const origin = `${isHost ? 'http://localhost' : 'https://127.0.0.1'}:${request.socket.localPort}`
      if (path[0] === 'moved') break
      send(response, 307, {}, { Location: origin + (request.url ?? '').replace('/repos/', '/moved/') })
      return
    }
    case 'cannot compare':
      if (path.at(-2) !== 'compare') break
      send(response, 500, { message: 'this diff is taking too long to generate' })
      return
    case 'limits comparisons':
      if (path.at(-2) !== 'compare') break
      send(response, 429, {}, { 'Retry-After': '120' })
      return
  }
  const comparison = /^(\w+)\.\.\.(\w+)$/.exec(path.at(-1) ?? '')
  const rows = comparison
    ? comparedRows(scenario, comparison[1] ?? '', comparison[2] ?? '')
    : path.at(-1) === 'tags'
      ? tagRows(scenario)
      : commitRows(scenario, query.sha)
  if (!rows) {
    send(response, 404, { message: 'Not Found' })
    return
  }
  const total_commits = rows.length
  if (comparison && scenario.behaviour === 'gitea') {
    send(response, 200, { commits: rows.reverse(), total_commits }) // without pages
    return
  }
  if (comparison && scenario.behaviour === 'cuts comparisons off') {
    send(response, 200, { commits: rows.slice(0, 2), total_commits })
    return
  }
  const perPage =
    { gitea: 50, 'linkless and short': 30 }[String(scenario.behaviour)] ?? Number(query.per_page)
  const isLast = scenario.behaviour !== 'has no end' && page * perPage >= rows.length
  const link = `<http://127.0.0.1/ignored?page=${page + 1}>; rel="next", <http://127.0.0.1/x>; rel="last"`
  const isLinkless = scenario.behaviour?.startsWith('linkless')
  const links: Record<string, string> = isLinkless || isLast ? {} : { Link: link }
  const part = rows.slice((page - 1) * perPage, page * perPage)
  const compared = { commits: part, ...(isLinkless ? {} : { total_commits }) }
  send(response, 200, comparison ? compared : part, links)
}

const tagRows = ({ tags = [] }: Scenario) => tags.map(({ name, sha }) => ({ name, commit: { sha } }))

const EARLIER = '2001-01-01T00:00:00Z'

/** Longer than what an entry keeps. */
const LONG = `\n\n${'A long message. '.repeat(1000)}`

const rowOf = (
  scenario: Scenario,
  { sha, message, date, isWithoutCommitter, parents = [] }: ServedCommit,
) => ({
  sha,
  commit: {
    message: scenario.behaviour === 'sends long messages' ? message + LONG : message,
    author: { name: 'A', email: 'a@example.org', date: isWithoutCommitter ? date : EARLIER },
    committer: isWithoutCommitter ? null : { date },
  },
  parents: parents.map((parent) => ({ sha: parent })),
})

/** All commits by hash, oldest first. */
function graphOf({ commits, offBranch = [] }: Scenario): Map<string, ServedCommit> {
  const chained = commits.map((commit, index) => ({
    parents: commits.slice(index - 1, index).map(({ sha }) => sha),
    ...commit,
  }))
  return new Map([...chained, ...offBranch].map((commit) => [commit.sha, commit]))
}

/** A commit and its ancestors. */
function pastOf(graph: Map<string, ServedCommit>, sha: string): Set<string> {
  const past = new Set([sha])
  for (const hash of past) for (const parent of graph.get(hash)?.parents ?? []) past.add(parent)
  return past
}

/** Newest first; undefined if the repository is empty. */
function commitRows(scenario: Scenario, sha = '') {
  const graph = graphOf(scenario)
  const head = scenario.head ?? scenario.commits.at(-1)?.sha ?? ''
  const past = pastOf(graph, graph.has(sha) ? sha : head)
  return [...graph.values()]
    .filter((commit) => past.has(commit.sha))
    .reverse()
    .map((commit) => rowOf(scenario, commit))
}

/**
 * Commits reachable from one commit but not from the other, oldest first; undefined if one is missing. Of unrelated
 * commits Gitea finds none, and GitHub responds 404.
 */
function comparedRows(scenario: Scenario, base: string, head: string) {
  const graph = graphOf(scenario)
  if (!graph.has(base) || !graph.has(head)) return undefined
  const [known, added] = [pastOf(graph, base), pastOf(graph, head)]
  if (known.isDisjointFrom(added)) return scenario.behaviour === 'gitea' ? [] : undefined
  return [...graph.values()]
    .filter(({ sha }) => added.has(sha) && !known.has(sha))
    .map((commit) => rowOf(scenario, commit))
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

const secondsFromNow = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds)
