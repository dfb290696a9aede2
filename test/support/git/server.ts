import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestProject } from 'vitest/node'

/** The repository under one name and the behaviour of the server. A test sets it with a PUT. */
export type Scenario = {
  /** Oldest first. By default, the parent of each is the previous one. */
  commits: ServedCommit[]
  /** Commits that are not on the branch. */
  offBranch?: ServedCommit[]
  tags?: { name: string; sha: string }[]
  /** The rows of a page; by default as many as are asked for. */
  pageSize?: number
  behaviour?:
    | 'stalls'
    | 'stalls in the body'
    | 'breaks off'
    | 'cannot compare'
    | 'cuts comparisons off'
    | 'sends too much to compare'
  /** Sent instead, to one request since the scenario was set, the first being 1, or to all. */
  response?: {
    request?: number
    status?: number
    body?: string
    headers?: Record<string, string>
  }
  /** The origin to which the repository has moved. */
  movedTo?: string
}

type ServedCommit = { sha: string; message: string; date: string; parents?: string[] }

/** The requests that the server received under one name. */
export type ReceivedRequest = {
  path: string
  query: Record<string, string>
  authorization: string | null
  accept: string | null
  userAgent: string | null
}

/** All commits by hash, oldest first. */
type Graph = Map<string, ServedCommit>

type State = {
  scenario: Scenario
  graph: Graph
  requests: ReceivedRequest[]
  sinceSet: number
}

declare module 'vitest' {
  interface ProvidedContext {
    gitServer: string
  }
}

/**
 * A git server in the shape of the GitHub REST API, real HTTP on loopback, for the tests that run
 * in workerd: `/NAME/repos/office/service/commits`, `/tags` and `/compare/BASE...HEAD`, set up by
 * `PUT /NAME` and read back by `GET /NAME`.
 */
export default async function serveGit(project: TestProject) {
  const states = new Map<string, State>()
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [, name = '', ...path] = url.pathname.split('/')
    if (request.method === 'PUT') {
      const scenario = JSON.parse(await bodyOf(request))
      states.set(name, {
        scenario,
        graph: graphOf(scenario),
        requests: states.get(name)?.requests ?? [],
        sinceSet: 0,
      })
      response.end()
      return
    }
    const state = states.get(name)
    if (!state) return send(response, 404)
    if (path.length === 0) return send(response, 200, state.requests)
    const query = Object.fromEntries(url.searchParams)
    const {
      authorization = null,
      accept = null,
      'user-agent': userAgent = null,
    } = request.headers
    state.requests.push({ path: path.join('/'), query, authorization, accept, userAgent })
    const { response: other, movedTo } = state.scenario
    state.sinceSet += 1
    if (movedTo && path[0] === 'repos') {
      const Location = movedTo + (request.url ?? '').replace('/repos/', '/moved/')
      response.writeHead(307, { Location }).end()
    } else if (other && (other.request ?? state.sinceSet) === state.sinceSet) {
      response.writeHead(other.status ?? 200, other.headers).end(other.body)
    } else {
      respond(state, path.at(-1) ?? '', query, response)
    }
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

function respond(
  { scenario, graph }: State,
  path: string,
  query: Record<string, string>,
  response: ServerResponse,
) {
  const { behaviour } = scenario
  if (behaviour === 'stalls') return
  if (
    behaviour === 'stalls in the body' ||
    (behaviour === 'breaks off' && query.page === '2')
  ) {
    response.writeHead(200, { 'Content-Length': '100000' }).write('[{"sha":')
    if (behaviour === 'breaks off') setTimeout(() => response.destroy(), 20)
    return
  }
  const [, base = '', head = ''] = /^(\w+)\.\.\.(\w+)$/.exec(path) ?? []
  if (path === 'tags') {
    return send(response, 200, pageOf(tagRows(scenario), query, scenario))
  }
  if (!base) {
    const listed = pageOf(listedCommits(scenario, graph, query.sha), query, scenario)
    return send(response, 200, listed.map(rowOf))
  }
  const rows = comparedCommits(graph, base, head)?.map(rowOf)
  if (!rows) return send(response, 404)
  if (behaviour === 'cannot compare') return send(response, 500)
  if (behaviour === 'sends too much to compare') {
    return send(response, 200, ' '.repeat(11 * 1024 * 1024))
  }
  const total_commits = rows.length
  const commits =
    behaviour === 'cuts comparisons off'
      ? rows.slice(0, rows.length / 2) // on every page, as GitHub Enterprise before 3.1
      : pageOf(rows, query, scenario)
  send(response, 200, { commits, total_commits })
}

function pageOf<Row>(
  rows: Row[],
  { page, per_page }: Record<string, string>,
  { pageSize }: Scenario,
): Row[] {
  const size = pageSize ?? Number(per_page)
  return rows.slice((Number(page) - 1) * size, Number(page) * size)
}

const tagRows = ({ tags = [] }: Scenario) =>
  tags.map(({ name, sha }) => ({ name, commit: { sha } }))

const EARLIER = '2001-01-01T00:00:00Z'

const rowOf = ({ sha, message, date, parents = [] }: ServedCommit) => ({
  sha,
  commit: {
    message,
    author: { name: 'A', email: 'a@example.org', date: EARLIER },
    committer: { date },
  },
  parents: parents.map((parent) => ({ sha: parent })),
})

function graphOf({ commits, offBranch = [] }: Scenario): Graph {
  const chained = commits.map((commit, index) => ({
    parents: commits.slice(index - 1, index).map(({ sha }) => sha),
    ...commit,
  }))
  return new Map([...chained, ...offBranch].map((commit) => [commit.sha, commit]))
}

/** A commit and its ancestors. */
function pastOf(graph: Graph, sha: string): Set<string> {
  const past = new Set([sha])
  for (const hash of past) {
    for (const parent of graph.get(hash)?.parents ?? []) past.add(parent)
  }
  return past
}

/** A branch or commit and its ancestors, newest first. */
function listedCommits({ commits }: Scenario, graph: Graph, sha = ''): ServedCommit[] {
  const head = graph.has(sha) ? sha : (commits.at(-1)?.sha ?? '')
  const past = pastOf(graph, head)
  return [...graph.values()].filter((commit) => past.has(commit.sha)).reverse()
}

/**
 * Commits reachable from one commit but not from the other, oldest first; undefined if one is
 * missing, or they are unrelated.
 */
function comparedCommits(graph: Graph, base: string, head: string) {
  if (!graph.has(base) || !graph.has(head)) return undefined
  const [known, added] = [pastOf(graph, base), pastOf(graph, head)]
  if (known.isDisjointFrom(added)) return undefined
  return [...graph.values()].filter(({ sha }) => added.has(sha) && !known.has(sha))
}

function send(response: ServerResponse, status: number, body: unknown = {}): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}
