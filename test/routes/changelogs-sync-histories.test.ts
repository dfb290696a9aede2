import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { hash, imported, resetImports, servedRepository } from '../changelog-imports.ts'
import { createEntry } from '../changelogs.ts'
import { runs } from '../depth.ts'
import type { Scenario } from '../git/server.ts'
import {
  compareVersions,
  highestVersion,
  nextVersion,
  type Version,
} from '#domain/versions.ts'

const RUNS = runs(20)
/** More than any of these pulls takes. */
const MAX_REQUESTS = 100
const BRANCHES = ['main', 'topic', 'release', 'old'] as const
/** The highest version of the demo data. */
const HIGHEST: Version = 'v1.1.0'

type Server = Pick<Scenario, 'pageSize' | 'behaviour'>

const branch = fc.constantFrom(...BRANCHES)
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('commit' as const), branch }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('unrelated' as const), branch }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('merge' as const),
      from: branch,
      into: branch,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('tag' as const), branch, minor: fc.nat(9) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('force push' as const),
      from: branch,
      back: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('by hand' as const), branch }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pull' as const),
      server: fc.constantFrom<Server>(
        {},
        { pageSize: 2 },
        { behaviour: 'cannot compare' },
        { behaviour: 'cuts comparisons off' },
      ),
      status: fc.constantFrom(403, 429, 500),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Commit = { sha: string; message: string; date: string; parents: string[] }

beforeEach(resetImports)

it(
  'POST /v1/changelogs/sync-from-git imports any history whole or not at all, whichever request fails',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }),
        async (steps) => {
          await resetImports()
          await play(steps)
        },
      ),
      { numRuns: RUNS },
    ),
  RUNS * 5000,
)

async function play(steps: Step[]): Promise<void> {
  const repository = servedRepository()
  const graph = new Map<string, Commit>()
  const tips = new Map<string, string>()
  const tags = new Map<Version, string>()
  const known = new Set<string>()
  let highest = HIGHEST

  const commit = (name: string, parents: string[]) => {
    const number = graph.size + 1
    const type = ['fix', 'feat', 'docs'][number % 3]
    const date = new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString()
    graph.set(hash(number), {
      sha: hash(number),
      message: `${type}: ${number}`,
      date,
      parents,
    })
    tips.set(name, hash(number))
  }
  const tip = (name: string) => tips.get(name) ?? tips.get('main') ?? ''
  const pastOf = (start: string) => {
    const past = new Set([start])
    for (const one of past) {
      for (const parent of graph.get(one)?.parents ?? []) past.add(parent)
    }
    return past
  }

  /** The versions of what the next import brings. */
  function expected(): Record<number, Version> {
    const added = [...pastOf(tip('main'))].filter((one) => !known.has(one))
    const releases = added.flatMap((one) => {
      const [lowest] = [...tags]
        .filter(([, tagged]) => pastOf(tip('main')).has(tagged))
        .flatMap(([tag, tagged]) => (pastOf(tagged).has(one) ? tag : []))
        .sort(compareVersions)
      const { message = '', parents = [] } = graph.get(one) ?? {}
      return parents.length > 1
        ? []
        : {
            number: Number.parseInt(one, 16),
            lowest,
            isFeature: message.startsWith('feat'),
          }
    })
    const tagsOfBranch = [...tags].flatMap(([tag, tagged]) =>
      known.has(tagged) || pastOf(tip('main')).has(tagged) ? tag : [],
    )
    const hasFeature = releases.some(({ lowest, isFeature }) => !lowest && isFeature)
    const next = nextVersion(
      highestVersion([highest, ...tagsOfBranch]),
      hasFeature ? 'minor' : 'patch',
    )
    return Object.fromEntries(
      releases.map(({ number, lowest = next }) => [number, lowest]),
    )
  }

  async function pull(server: Server, status: number): Promise<void> {
    const reachable = new Set(
      [...tips.values(), ...tags.values()].flatMap((one) => [...pastOf(one)]),
    )
    const scenario = {
      commits: [...graph.values()].filter(({ sha }) => reachable.has(sha)),
      head: tip('main'),
      tags: [...tags].map(([name, sha]) => ({ name, sha })),
      ...server,
    }
    const before = await stored()
    for (let request = 1; request <= MAX_REQUESTS; request++) {
      await repository.serve({ ...scenario, response: { request, status } })
      const response = await repository.pull()
      if (response.status === 200) {
        const versions = expected()
        expect(imported(response)).toEqual(versions)
        for (const one of pastOf(tip('main'))) known.add(one)
        highest = highestVersion([highest, ...Object.values(versions)])
        return
      }
      expect(response.status).toBe(502)
      expect(await stored()).toEqual(before)
    }
    expect.unreachable(`a pull that fails with ${MAX_REQUESTS} requests`)
  }

  commit('main', [])
  for (const step of [...steps, { kind: 'pull', server: {}, status: 429 } as const]) {
    if (step.kind === 'commit') commit(step.branch, [tip(step.branch)])
    if (step.kind === 'unrelated') commit(step.branch, [])
    if (step.kind === 'merge' && tip(step.from) !== tip(step.into)) {
      commit(step.into, [tip(step.into), tip(step.from)])
    }
    if (step.kind === 'tag') tags.set(`v2.${step.minor}.0`, tip(step.branch)) // also moves it
    if (step.kind === 'force push') {
      let target = tip(step.from)
      for (let back = 0; back < step.back; back++) {
        target = graph.get(target)?.parents[0] ?? target
      }
      tips.set('main', target)
    }
    if (step.kind === 'by hand' && !known.has(tip(step.branch))) {
      await createEntry({ version: 'v1.0.0', git_commit_hash: tip(step.branch) })
      known.add(tip(step.branch))
    }
    if (step.kind === 'pull') await pull(step.server, step.status)
  }
}

/** All that an import writes. */
async function stored() {
  const tables = ['changelogs', 'imported_commits', 'sync_cursors', 'audit_events']
  const results = await env.DB.batch(
    tables.map((table) => env.DB.prepare(`select * from ${table}`)),
  )
  return results.map(({ results }) => results)
}
