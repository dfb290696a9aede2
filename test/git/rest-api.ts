import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Repository } from './repository.ts'

const MAX_PER_PAGE = 4

/** A GitHub REST API for one real repository at a time: commits, tags and comparisons, in short pages. */
export async function serveRepository() {
  let served: Repository | undefined
  /** Results by path, so that git runs once for all pages. */
  const found = new Map<string, unknown[] | undefined>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const key = `${url.pathname} ${url.searchParams.get('sha')}`
    if (served && !found.has(key)) found.set(key, rowsOf(served, url))
    const rows = found.get(key)
    const page = Number(url.searchParams.get('page'))
    const perPage = Math.min(MAX_PER_PAGE, Number(url.searchParams.get('per_page')))
    const part = rows?.slice((page - 1) * perPage, page * perPage)
    const hasNext = rows !== undefined && page * perPage < rows.length
    response.writeHead(rows ? 200 : 404, {
      'Content-Type': 'application/json',
      ...(hasNext ? { Link: '<http://127.0.0.1/next>; rel="next"' } : {}),
    })
    response.end(JSON.stringify(url.pathname.includes('/compare/') ? { commits: part } : part))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Serves the current state of a repository. */
    serve: (repository: Repository) => {
      served = repository
      found.clear()
    },
    close: () => server.close(),
  }
}

/** Undefined if not found. */
function rowsOf(repository: Repository, url: URL): unknown[] | undefined {
  const path = url.pathname.replace('/repos/office/service/', '')
  if (path === 'tags') return repository.tags().map(({ name, hash }) => ({ name, commit: { sha: hash } }))
  if (path === 'commits') return commitRows(repository, url.searchParams.get('sha') ?? 'HEAD')
  const [, base = '', head = ''] = /^compare\/(\w+)\.\.\.(\w+)$/.exec(path) ?? []
  const isThere = repository.exists(base) && repository.exists(head) && repository.areRelated(base, head)
  return isThere ? commitRows(repository, '--reverse', `${base}..${head}`) : undefined
}

const commitRows = (repository: Repository, ...args: string[]) =>
  repository.log(...args).map(({ hash, parents, date, message }) => ({
    sha: hash,
    commit: { message, committer: { date }, author: { date } },
    parents: parents.map((sha) => ({ sha })),
  }))
