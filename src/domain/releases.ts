import type { Commit } from './commits.ts'
import { compareVersions, isVersion, type Version } from './versions.ts'

/** A node of the commit graph. */
export type GraphCommit = Pick<Commit, 'hash' | 'parents'>

type DatedCommit = GraphCommit & Pick<Commit, 'date'>

/** A tag and its commit. */
export type Tag = { name: string; hash: string }

/**
 * The release of each commit: the lowest version tag that contains it, as in `git tag --contains`. If parents are
 * unknown, a commit contains all earlier commits, and the first tag applies. Commits without a release are left out.
 * The order of the commits does not matter.
 * @param offBranch commits reachable only from tags, such as those of release branches
 */
export function releasesByTag(commits: DatedCommit[], tags: Tag[], offBranch: GraphCommit[] = []) {
  const releases = releasesByParents([...commits, ...offBranch], tags)
  if (commits.every(({ parents }) => parents !== null)) return releases
  let release: Version | undefined
  for (const { hash, parents } of sortTopologically(commits).reverse()) {
    const own = releases.get(hash) ?? release
    if (own) releases.set(hash, own)
    if (parents === null) release = own
  }
  return releases
}

/** Each tag, lowest first, marks its ancestors that are not marked yet, so each commit is visited once. */
function releasesByParents(graph: GraphCommit[], tags: Tag[]): Map<string, Version> {
  const parentsOf = new Map(graph.map(({ hash, parents }) => [hash, parents ?? []]))
  const releases = new Map<string, Version>()
  for (const { name: version, hash: tagged } of sortByVersion(tags)) {
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

/** The tags that are versions, lowest first. */
export const sortByVersion = (tags: Tag[]) =>
  tags
    .filter((tag): tag is Tag & { name: Version } => isVersion(tag.name))
    .sort((one, other) => compareVersions(one.name, other.name))

/** Each commit once, oldest first, parents before children; ties by hash. */
export function sortTopologically<C extends DatedCommit>(commits: C[]): C[] {
  const byHash = new Map(commits.map((commit) => [commit.hash, commit]))
  const byDate = [...byHash.values()].sort(
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
