import type { ParsedMessage } from './commit-messages.ts'
import type { Version } from '#domain/versions.ts'

/** A commit to import. */
export type Commit = {
  /** 7 to 64 lower-case hex digits. */
  hash: string
  date: Date
  /** What an entry keeps of its message; null for a merge. */
  change: ParsedMessage | null
  /** Null if it belongs to the next release. */
  version: Version | null
}
