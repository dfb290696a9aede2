import type { Commit, ParsedMessage } from './commits.ts'
import { compareVersions, highestVersion, isVersion, nextVersion, type Version } from './versions.ts'

type Placed = Pick<Commit, 'hash' | 'date' | 'parents' | 'tags'>

/** The versions that a commit is tagged with, lowest first. */
function versionTags({ tags }: Pick<Commit, 'tags'>): Version[] {
  return tags.filter(isVersion).sort(compareVersions)
}

/**
 * The release of each commit: the first version tag at or after it. The order in which commits are given
 * does not matter. Commits after the last tag belong to no release yet and are left out.
 */
export function releasesByTag(commits: Placed[]): Map<string, Version> {
  const releases = new Map<string, Version>()
  let release: Version | undefined
  for (const commit of inHistoryOrder(commits).reverse()) {
    release = versionTags(commit)[0] ?? release
    if (release) releases.set(commit.hash, release)
  }
  return releases
}

/** The version of the next release: what its changes ask for, counted from the highest version known. */
export function nextRelease(changes: ParsedMessage[], known: Version[]): Version {
  const isMajor = changes.some(({ isBreaking }) => isBreaking)
  const isMinor = changes.some(({ isFeature }) => isFeature)
  return nextVersion(highestVersion(known), isMajor ? 'major' : isMinor ? 'minor' : 'patch')
}

/** Oldest first. A rebase gives many commits one date: then parents go first, and else the lower hash. */
export function inHistoryOrder<C extends Placed>(commits: C[]): C[] {
  const byDate = [...commits].sort(
    (one, other) => one.date.getTime() - other.date.getTime() || (one.hash < other.hash ? -1 : 1),
  )
  const ordered: C[] = []
  for (let from = 0, to = 1; from < byDate.length; from = to++) {
    while (to < byDate.length && byDate[to]?.date.getTime() === byDate[from]?.date.getTime()) to++
    ordered.push(...parentsFirst(byDate.slice(from, to)))
  }
  return ordered
}

function parentsFirst<C extends Placed>(commits: C[]): C[] {
  const byHash = new Map(commits.map((commit) => [commit.hash, commit]))
  const ordered = new Set<C>()
  for (const commit of commits) {
    const path = [commit]
    const seen = new Set(path)
    for (let current = path.at(-1); current; current = path.at(-1)) {
      const parent = current.parents
        .map((hash) => byHash.get(hash))
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
