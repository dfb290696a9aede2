import { type ParsedMessage, parseMessage } from './commit-messages.ts'

/** A git commit. */
export type Commit = {
  /** 7 to 64 lower-case hex digits. */
  hash: string
  message: string
  /** The committer date. */
  date: Date
  /** The hashes of its parents, each once; null if unknown. */
  parents: string[] | null
}

/** A commit with the part of its message that an entry keeps; null for a merge. */
export type ParsedCommit = Omit<Commit, 'message'> & {
  change: ParsedMessage | null
}

/** A hash in lower case, whole or abbreviated. */
export const COMMIT_HASH = /^[\da-fA-F]{7,64}$/

/** The subjects that git, GitHub and GitLab write for a merge. */
const MERGE_SUBJECTS = [
  /^Merge (?:remote-tracking )?branch(?:es)? '/,
  /^Merge (?:tag|commit)s? '/,
  /^Merge pull request #\d+ from /,
]

export function parseCommit({ message, ...commit }: Commit): ParsedCommit {
  const isOfMerge = isMerge({ message, parents: commit.parents })
  return {
    ...commit,
    change: isOfMerge ? null : parseMessage(message),
  }
}

/**
 * Returns whether a commit has several parents, or a message that git or its host writes for a
 * merge.
 */
export function isMerge(commit: Pick<Commit, 'message' | 'parents'>): boolean {
  const { message, parents } = commit
  if (parents !== null && parents.length > 1) return true

  const subject = message.trimStart()
  return MERGE_SUBJECTS.some((pattern) => pattern.test(subject))
}
