import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pushHistory } from '../../scripts/commands/changelog/changelog-history.ts'
import { readLocalHistory } from '../../scripts/commands/changelog/local-history.ts'
import { runs } from '../depth.ts'
import { createRepository, type Repository } from '../git/repository.ts'
import { demoService } from './demo-service.ts'
import {
  compareVersions,
  highestReleaseType,
  highestVersion,
  isVersion,
  nextVersion,
  type ReleaseType,
  type Version,
} from '#domain/versions.ts'

const HISTORIES = runs(6)

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
      message: fc.constantFrom(
        ...Object.keys(RELEASE_TYPE_OF),
        'fix: x',
        'fix: x',
        'fix: x',
      ),
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
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            '1.0.0',
            'v1.0',
            'v9.0.0-rc.1',
            'nightly',
            'vv1.0.0',
          ),
        },
      ),
      isAnnotated: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('force push' as const),
      back: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sync' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const account = demoService()

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

/** How each week and the end are pushed. */
const WAYS: Record<string, { weekly: Import[]; end: Import }> = {
  whole: { weekly: [], end: push() },
  'in pieces': { weekly: [], end: push(2) },
  'weekly, then in pieces': { weekly: [push()], end: push(2) },
  'in pieces and whole in turn': { weekly: [push(1), push()], end: push() },
}

let hasRun = 0
/** The highest version of an entry; initially that of the demo data. */
let highest: Version = 'v1.1.0'

it(
  'changelog:sync imports any history as git log and git tag --merged --contains have it, however often',
  async () => {
    const histories = fc.array(step, { minLength: 5, maxLength: 30, size: 'max' })
    const ways = fc.constantFrom(...Object.keys(WAYS))
    await fc.assert(fc.asyncProperty(histories, ways, expectImported), {
      numRuns: HISTORIES,
    })
  },
  HISTORIES * 10_000,
)

async function expectImported(steps: Step[], way: string): Promise<void> {
  const { weekly = [], end = push() } = WAYS[way] ?? {}
  const repository = createRepository()
  const known = new Set<string>()
  const importBy = async (run: Import) => {
    repository.flush()
    const expected = expectedOf(repository, known)
    const entries = await run(repository)
    highest = highestVersion([highest, ...entries.map(({ version }) => version)])
    expect(
      Object.fromEntries(entries.map((entry) => [entry.git_commit_hash, entry.version])),
    ).toEqual(expected)
    for (const hash of Object.keys(expected)) known.add(hash)
  }
  try {
    let week = 0
    for (const _ of play(repository, steps)) {
      const run = weekly[week++ % weekly.length]
      if (run) await importBy(run)
    }
    await importBy(end)
    await importBy(push())
  } finally {
    repository.remove()
  }
}

/** The new commits according to git. */
function expectedOf(repository: Repository, known: Set<string>): Record<string, Version> {
  const added = repository
    .log('HEAD')
    .filter(({ hash, parents }) => !known.has(hash) && parents.length < 2)
  const releases = added.map(({ hash, message }) => {
    const [lowest] = repository
      .tagsContaining(hash)
      .filter(isVersion)
      .sort(compareVersions)
    return {
      hash,
      lowest,
      change: RELEASE_TYPE_OF[message.split(' @')[0] ?? ''] ?? 'patch',
    }
  })
  const rise = highestReleaseType(
    releases.flatMap(({ lowest, change }) => (lowest ? [] : change)),
  )
  const next = nextVersion(
    highestVersion([highest, ...repository.tags().filter(isVersion)]),
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
        if (tip(step.from) !== tip(step.into)) {
          commit(
            step.into,
            `Merge branch '${step.from}'`,
            [tip(step.into), tip(step.from)],
            minute + 1,
          )
        }
        break
      case 'tag': {
        const { name, branch, isAnnotated } = step
        const text =
          typeof name === 'string' ? name : `v${major + name[0]}.${name[1]}.${name[2]}`
        if (names.has(text)) break
        names.add(text)
        if (isAnnotated) repository.annotate(text, tip(branch))
        else repository.point(`tags/${text}`, tip(branch))
        break
      }
      case 'force push': {
        let target = tip('main')
        for (let back = 0; back < step.back; back++) {
          target = parentsOf.get(target)?.[0] ?? target
        }
        tips.set('main', target)
        repository.point('heads/main', target)
        break
      }
      case 'sync':
        yield
    }
  }
}
