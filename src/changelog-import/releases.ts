import { compareVersions, type Version } from '#domain/versions.ts'

/** A node of the commit graph. */
type GraphCommit = {
  hash: string
  parents: string[]
}

/** A version tag and its commit. */
export type Tag = {
  name: Version
  hash: string
}

/**
 * Returns the release of each commit, by its hash: the lowest version tag that contains it, as in
 * `git tag --contains`. Commits without a release are left out. Each tag, lowest first, marks its
 * ancestors that are not marked yet, so each commit is visited once.
 */
export function releasesByTag(commits: GraphCommit[], tags: Tag[]): Map<string, Version> {
  const parentsOf = new Map(commits.map(({ hash, parents }) => [hash, parents]))
  const lowestFirst = tags.toSorted((one, other) => compareVersions(one.name, other.name))

  const releases = new Map<string, Version>()
  for (const tag of lowestFirst) {
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
