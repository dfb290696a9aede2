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

/** A commit with what an entry keeps of its message; null for a merge. */
export type ParsedCommit = Omit<Commit, 'message'> & {
  change: ParsedMessage | null
}

/** A hash in lower case, whole or abbreviated. */
export const COMMIT_HASH = /^[\da-fA-F]{7,64}$/

/** The most parents that a commit may have. The largest merge of Linux has 66. */
export const MAX_PARENTS = 100

/** The subjects of `git fmt-merge-msg` for branches, tags and commits, and of GitHub. */
const MERGES_OF_REFS = [
  /^Merge (?:HEAD, )?(?:remote-tracking |remote )?branch(?:es)? '/,
  /^Merge (?:HEAD, )?(?:tags?|commits?) '/,
  /^Merge pull request #\d+ /,
]

/** What git takes for a repository: a URL, a path, `[user@]host:path`, or the present folder. */
const ADDRESSES = [
  /^[a-z][a-z\d+.-]*:\/\/[^\s,;]+$/,
  /^(?:\.{0,2}|~\w*)\/[^\s,;]+$/,
  /^(?:[\w.-]+@)?[\w.-]+:[^\s,;]+$/,
  /^\.$/,
]

export function parseCommit({ message, ...commit }: Commit): ParsedCommit {
  const isOfMerge = isMerge({ message, parents: commit.parents })
  return {
    ...commit,
    change: isOfMerge ? null : parseMessage(message),
  }
}

/**
 * Whether a commit has several parents, or a message that git itself or GitHub writes for a merge.
 */
export function isMerge(commit: Pick<Commit, 'message' | 'parents'>): boolean {
  const { message, parents } = commit
  if (parents !== null && parents.length > 1) return true

  const [subject = ''] = message.trimStart().split(/\r?\n/, 1)
  return matchesAny(MERGES_OF_REFS, subject) || isMergeOfHeads(subject)
}

/**
 * Whether `git fmt-merge-msg` wrote a subject for the HEADs of other repositories:
 * `Merge ADDRESS, ADDRESS`, then `; ` and refs, or ` into BRANCH`. Addresses are parted before they
 * are matched: one expression for all of them would try every way to part them.
 */
function isMergeOfHeads(subject: string): boolean {
  const start = 'Merge '
  if (!subject.startsWith(start)) return false

  const sources = subject.slice(start.length)
  const [heads = '', refs] = sources.split('; ', 2)
  const list = refs === undefined ? withoutBranch(heads) : heads
  for (const address of list.split(', ')) {
    if (!matchesAny(ADDRESSES, address)) return false
  }
  return true
}

function withoutBranch(heads: string): string {
  return heads.replace(/ into \S+$/, '')
}

function matchesAny(patterns: RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text))
}
