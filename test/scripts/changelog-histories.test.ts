import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pushHistory } from '../../scripts/lib/changelog-push.ts'
import { logIn } from '../../scripts/lib/demo.ts'
import { readLocalHistory } from '../../scripts/lib/git-history.ts'
import { freePort } from '../../scripts/lib/ports.ts'
import type { Service } from '../../scripts/lib/service-client.ts'
import { startService, temporaryState } from '../../scripts/lib/service-process.ts'
import {
  compareVersions,
  highestReleaseType,
  highestVersion,
  isVersion,
  nextVersion,
  type ReleaseType,
  type Version,
} from '../../src/domain/versions.ts'
import { createRepository, type Repository } from '../git/repository.ts'
import { serveRepository } from '../git/rest-api.ts'

/** A longer run: HISTORIES=500 npx vitest run test/scripts/changelog-histories.test.ts */
const HISTORIES = Number(process.env.HISTORIES ?? 16)

const BRANCHES = ['main', 'topic', 'release', 'old'] as const
const RELEASE_TYPE_OF: Record<string, ReleaseType> = {
  'fix: x': 'patch',
  'No convention': 'patch',
  'feat: x': 'minor',
  'feat!: x': 'major',
  'fix: x\n\nBREAKING CHANGE:\nall of it': 'major',
}

/** The events in a repository, and `sync` at the end of a week. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      branch: fc.constantFrom(...BRANCHES, 'main', 'main'),
      message: fc.constantFrom(...Object.keys(RELEASE_TYPE_OF), 'fix: x', 'fix: x', 'fix: x'),
      late: fc.constantFrom(0, 0, 0, 500), // a wrong clock
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('merge' as const),
      from: fc.constantFrom(...BRANCHES),
      into: fc.constantFrom(...BRANCHES, 'main'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('tag' as const),
      branch: fc.constantFrom(...BRANCHES),
      name: fc.oneof(
        { weight: 4, arbitrary: fc.tuple(fc.nat(2), fc.nat(11), fc.nat(2)) },
        { weight: 1, arbitrary: fc.constantFrom('1.0.0', 'v1.0', 'v9.0.0-rc.1', 'nightly', 'vv1.0.0') },
      ),
      isAnnotated: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('force push' as const), back: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sync' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

let service: Awaited<ReturnType<typeof startService>>
let api: Awaited<ReturnType<typeof serveRepository>>
let account: Service
const { stateDir, remove } = temporaryState()

beforeAll(async () => {
  api = await serveRepository()
  const PORT = String(await freePort())
  service = await startService({
    PORT,
    STATE_DIR: stateDir,
    GIT_API_URL: api.url,
    GIT_REPOSITORY: 'office/service',
  })
  const { baseUrl } = service
  account = { baseUrl, token: await logIn(baseUrl, 'admin@example.org') }
})

afterAll(async () => {
  await service?.interrupt()
  api?.close()
  remove()
})

/** Imports a repository and returns the new entries. */
type Import = (repository: Repository) => Promise<Entry[]>
type Entry = { git_commit_hash: string; version: Version }

const push =
  (maxCommits?: number): Import =>
  async (repository) => {
    const entries: Entry[] = []
    await pushHistory(
      account,
      readLocalHistory(repository.folder),
      (synced) => entries.push(...(synced.entries as Entry[])),
      maxCommits,
    )
    return entries
  }

async function pull(): Promise<Entry[]> {
  const response = await fetch(`${account.baseUrl}/changelogs/sync-from-git`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${account.token}` },
  })
  const { data } = (await response.json()) as { data: { entries: Entry[] } }
  return data.entries
}

/** How each week and the end are imported. */
const WAYS: Record<string, { weekly: Import[]; end: Import }> = {
  'pushed whole': { weekly: [], end: push() },
  'pushed in pieces': { weekly: [], end: push(2) },
  'pulled whole': { weekly: [], end: pull },
  'pulled weekly': { weekly: [pull], end: pull },
  'pushed weekly': { weekly: [push()], end: push(2) },
  'pulled and pushed in turn': { weekly: [push(), pull, push(1), pull], end: push() },
}

let hasRun = 0
/** The highest version of an entry; initially that of the demo data. */
let highest: Version = 'v1.1.0'

it(
  'imports any history as git log and git tag --contains have it, whichever way and however often',
  async () => {
    const histories = fc.array(step, { minLength: 5, maxLength: 30, size: 'max' })
    const ways = fc.constantFrom(...Object.keys(WAYS))
    await fc.assert(fc.asyncProperty(histories, ways, expectImported), { numRuns: HISTORIES })
  },
  HISTORIES * 10_000,
)

async function expectImported(steps: Step[], way: string): Promise<void> {
  const { weekly = [], end = pull } = WAYS[way] ?? {}
  const repository = createRepository()
  const known = new Set<string>()
  const importBy = async (run: Import) => {
    repository.flush()
    api.serve(repository)
    const expected = expectedOf(repository, known)
    const entries = await run(repository)
    highest = highestVersion([highest, ...entries.map(({ version }) => version)])
    expect(Object.fromEntries(entries.map((entry) => [entry.git_commit_hash, entry.version]))).toEqual(
      expected,
    )
    for (const hash of Object.keys(expected)) known.add(hash)
  }
  try {
    let week = 0
    for (const _ of play(repository, steps)) {
      const run = weekly[week++ % weekly.length]
      if (run) await importBy(run)
    }
    await importBy(end)
    for (const again of [pull, push()]) await importBy(again)
  } finally {
    repository.remove()
  }
}

/** The new commits according to git. */
function expectedOf(repository: Repository, known: Set<string>): Record<string, Version> {
  const added = repository.log('HEAD').filter(({ hash, parents }) => !known.has(hash) && parents.length < 2)
  const releases = added.map(({ hash, message }) => {
    const [lowest] = repository.tagsContaining(hash).filter(isVersion).sort(compareVersions)
    return { hash, lowest, change: RELEASE_TYPE_OF[message.split(' @')[0] ?? ''] ?? 'patch' }
  })
  const rise = highestReleaseType(releases.flatMap(({ lowest, change }) => (lowest ? [] : change)))
  const next = nextVersion(
    highestVersion([
      highest,
      ...repository
        .tags()
        .map(({ name }) => name)
        .filter(isVersion),
    ]),
    rise,
  )
  return Object.fromEntries(releases.map(({ hash, lowest }) => [hash, lowest ?? next]))
}

/** Writes a history to a repository, pausing at the end of each week. */
function* play(repository: Repository, steps: Step[]) {
  const run = ++hasRun
  const major = Number(/\d+/.exec(highest)) + 1
  const tips = new Map<string, number>()
  const parentsOf = new Map<number, number[]>()
  const names = new Set<string>()
  const commit = (branch: string, message: string, parents: number[], minute: number) => {
    const mark = repository.commit(branch, `${message} @${run}`, parents, minute)
    parentsOf.set(mark, parents)
    tips.set(branch, mark)
    return mark
  }
  commit('main', 'fix: x', [], 0)
  for (const [minute, step] of steps.entries()) {
    const tip = (branch: string) => tips.get(branch) ?? tips.get('main') ?? 0
    switch (step.kind) {
      case 'commit':
        commit(step.branch, step.message, [tip(step.branch)], minute + 1 - step.late)
        break
      case 'merge':
        if (tip(step.from) !== tip(step.into))
          commit(step.into, `Merge branch '${step.from}'`, [tip(step.into), tip(step.from)], minute + 1)
        break
      case 'tag': {
        const { name, branch, isAnnotated } = step
        const text = typeof name === 'string' ? name : `v${major + name[0]}.${name[1]}.${name[2]}`
        if (names.has(text)) break
        names.add(text)
        if (isAnnotated) repository.annotate(text, tip(branch))
        else repository.point(`tags/${text}`, tip(branch))
        break
      }
      case 'force push': {
        let target = tip('main')
        for (let back = 0; back < step.back; back++) target = parentsOf.get(target)?.[0] ?? target
        tips.set('main', target)
        repository.point('heads/main', target)
        break
      }
      case 'sync':
        yield
    }
  }
}
