import type { Commit } from './commits.ts'
import { compareVersions, isVersion, type Version } from '#domain/versions.ts'

/** A node of the commit graph. */
type GraphCommit = Pick<Commit, 'hash' | 'parents'>

type DatedCommit = GraphCommit & Pick<Commit, 'date'>

/** A tag and its commit. */
export type Tag = {
  name: string
  hash: string
}

type VersionTag = Tag & { name: Version }

/** The release of each commit, by its hash. */
type Releases = Map<string, Version>

/**
 * Returns the release of each commit: the lowest version tag that contains it, as in `git tag
 * --contains`. If parents are unknown, a commit contains all earlier commits, and the first tag
 * applies. Commits without a release are left out. The order of the commits does not matter.
 */
export function releasesByTag(commits: DatedCommit[], tags: Tag[]): Releases {
  const releases = releasesByParents(commits, tags)
  if (commits.some(({ parents }) => parents === null)) {
    addReleasesByDate(releases, commits)
  }
  return releases
}

/**
 * Each tag, lowest first, marks its ancestors that are not marked yet, so each commit is visited
 * once.
 */
function releasesByParents(graph: GraphCommit[], tags: Tag[]): Releases {
  const parentsOf = new Map<string, string[]>()
  for (const { hash, parents } of graph) {
    parentsOf.set(hash, parents ?? [])
  }

  const releases: Releases = new Map()
  for (const tag of sortByVersion(tags)) {
    const stack = [tag.hash]
    for (let hash = stack.pop(); hash !== undefined; hash = stack.pop()) {
      const parents = parentsOf.get(hash)
      if (!parents || releases.has(hash)) continue

      releases.set(hash, tag.name)
      for (const parent of parents) {
        stack.push(parent)
      }
    }
  }
  return releases
}

/** Assigns commits without a release the release of the next commit whose parents are unknown. */
function addReleasesByDate(releases: Releases, commits: DatedCommit[]): void {
  const newestFirst = sortTopologically(commits).reverse()
  let next: Version | undefined
  for (const { hash, parents } of newestFirst) {
    const release = releases.get(hash) ?? next
    if (release) releases.set(hash, release)
    if (parents === null) next = release
  }
}

/** Returns the tags that are versions, lowest first. */
export function sortByVersion(tags: Tag[]): VersionTag[] {
  return tags
    .filter((tag): tag is VersionTag => isVersion(tag.name))
    .sort((one, other) => compareVersions(one.name, other.name))
}

/**
 * Returns each commit once, oldest first, parents before children, ties by hash. A cycle, possible
 * only in a request body, ends where it began.
 */
export function sortTopologically<C extends DatedCommit>(commits: C[]): C[] {
  const byHash = new Map<string, C>()
  for (const commit of commits) {
    byHash.set(commit.hash, commit)
  }

  const sorted = new Set<C>()
  const visited = new Set<C>()
  const byDate = [...byHash.values()].sort(compareByDate)
  for (const oldest of byDate) {
    const stack = [oldest]
    for (let commit = stack.pop(); commit; commit = stack.pop()) {
      if (visited.has(commit)) {
        sorted.add(commit) // its ancestors, all above it in the stack, are sorted
        continue
      }

      visited.add(commit)
      stack.push(commit)
      const parents = commit.parents ?? []
      for (const hash of parents.toReversed()) {
        const parent = byHash.get(hash)
        if (parent && !visited.has(parent)) stack.push(parent)
      }
    }
  }
  return [...sorted]
}

function compareByDate(one: DatedCommit, other: DatedCommit): number {
  const difference = one.date.getTime() - other.date.getTime()
  if (difference !== 0) return difference
  return one.hash < other.hash ? -1 : 1
}
