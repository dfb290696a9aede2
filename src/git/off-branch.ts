import { readReleases } from '../database/changelog-imports.ts'
import type { Database } from '../database/client.ts'
import { type GraphCommit, sortByVersion, type Tag } from '../domain/releases.ts'
import type { GitClient } from './client.ts'
import { collectGraph, readRange } from './commits.ts'

/** A branch up to its newest commit, with the commits of it that an import reads. */
type Branch = {
  head: string
  commits: { hash: string }[]
}

/** Commits that are reachable only from release tags. */
type OffBranchCommits = {
  /** Of earlier imports, if one of them has been merged since. */
  stored: GraphCommit[]
  added: GraphCommit[]
}

/** Reads what is reachable from release tags alone, such as release branches, each commit once. */
export async function readOffBranch(
  db: Database,
  client: GitClient,
  { head, commits }: Branch,
  tags: Tag[],
): Promise<OffBranchCommits> {
  const onBranch = new Set(commits.map(({ hash }) => hash))
  const released = sortByVersion(tags).map(({ hash }) => hash)
  const { read, merged } = await readReleases(db, released, [...onBranch])

  const added = new Map<string, GraphCommit>()
  const highestFirst = released.toReversed() // a release branch also contains its lower tags
  for (const tagged of highestFirst) {
    if (read.has(tagged) || onBranch.has(tagged) || added.has(tagged)) continue
    const graph = await readRange(client, head, tagged, collectGraph)
    for (const commit of graph) {
      if (!onBranch.has(commit.hash)) added.set(commit.hash, commit)
    }
  }
  return {
    stored: merged,
    added: [...added.values()],
  }
}
