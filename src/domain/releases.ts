import type { Commit, ParsedMessage } from './commits.ts'
import {
  type Change,
  compareVersions,
  highestChange,
  highestVersion,
  isVersion,
  nextVersion,
  type Version,
} from './versions.ts'

/** A commit as a node of the graph that parents make. */
export type GraphCommit = Pick<Commit, 'hash' | 'parents' | 'tags'>

type DatedCommit = GraphCommit & Pick<Commit, 'date'>

/**
 * The release of each commit: the lowest version tag that contains it, as `git tag --contains` says. Where
 * parents are not known, a commit contains what was committed before it, and the first tag counts. What no
 * tag contains is left out. The order in which commits are given does not matter.
 *
 * @param offBranch commits that only tags lead to, such as those of release branches
 */
export function releasesByTag(commits: DatedCommit[], offBranch: GraphCommit[] = []): Map<string, Version> {
  const releases = releasesByParents([...commits, ...offBranch])
  if (commits.every(({ parents }) => parents !== null)) return releases
  let release: Version | undefined
  for (const { hash, parents } of inHistoryOrder(commits).reverse()) {
    const own = releases.get(hash) ?? release
    if (own) releases.set(hash, own)
    if (parents === null) release = own
  }
  return releases
}

/** Each tag, the lowest first, marks the ancestors that none before it has marked: each commit is seen once. */
function releasesByParents(graph: GraphCommit[]): Map<string, Version> {
  const parentsOf = new Map(graph.map(({ hash, parents }) => [hash, parents ?? []]))
  const tags = graph
    .flatMap(({ hash, tags }) => tags.filter(isVersion).map((version) => ({ hash, version })))
    .sort((one, other) => compareVersions(one.version, other.version))
  const releases = new Map<string, Version>()
  for (const { hash: tagged, version } of tags) {
    const path = [tagged]
    for (let hash = path.pop(); hash !== undefined; hash = path.pop()) {
      const parents = parentsOf.get(hash)
      if (!parents || releases.has(hash)) continue
      releases.set(hash, version)
      path.push(...parents)
    }
  }
  return releases
}

/** What a change asks of the next release (Conventional Commits 1.0.0, items 1 to 3 of its summary). */
export function changeOf({ isBreaking, isFeature }: ParsedMessage): Change {
  return isBreaking ? 'major' : isFeature ? 'minor' : 'patch'
}

/**
 * The version of the next release: what its changes ask for, counted from the highest version known.
 *
 * @param least by which it rises, whatever the changes are
 */
export function nextRelease(changes: ParsedMessage[], known: Version[], least: Change = 'patch'): Version {
  return nextVersion(highestVersion(known), highestChange([least, ...changes.map(changeOf)]))
}

/** Oldest first, but parents before their children, whatever their clocks said; of one date, the lower hash. */
export function inHistoryOrder<C extends DatedCommit>(commits: C[]): C[] {
  const byHash = new Map(commits.map((commit) => [commit.hash, commit]))
  const byDate = [...commits].sort(
    (one, other) => one.date.getTime() - other.date.getTime() || (one.hash < other.hash ? -1 : 1),
  )
  const ordered = new Set<C>()
  for (const commit of byDate) {
    const path = [commit]
    const seen = new Set(path)
    for (let current = path.at(-1); current; current = path.at(-1)) {
      const parent = current.parents
        ?.map((hash) => byHash.get(hash))
        .find((parent) => parent !== undefined && !ordered.has(parent) && !seen.has(parent))
      if (parent) {
        path.push(parent)
        seen.add(parent)
      } else {
        ordered.add(current)
        path.pop()
      }
    }
  }
  return [...ordered]
}
