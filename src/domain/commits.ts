import { type ChangelogCategory, MAX_DESCRIPTION, MAX_TITLE } from './changelog.ts'
import type { ReleaseType } from './versions.ts'
import { isVisible } from './visibility.ts'

/** A git commit. */
export type Commit = {
  /** 7 to 64 lower-case hex digits. */
  hash: string
  message: string
  /** The committer date. */
  date: Date
  /** Parent hashes; null if unknown. */
  parents: string[] | null
}

/** A commit with what an entry keeps of its message; null for a merge. */
export type ParsedCommit = Omit<Commit, 'message'> & { change: ParsedMessage | null }

/** The changelog data of a commit message. */
export type ParsedMessage = {
  category: ChangelogCategory
  title: string
  description: string
  releaseType: ReleaseType
}

const CATEGORY_OF_TYPE = new Map<string, ChangelogCategory>([
  ['feat', 'Nova Funcionalidade'],
  ['fix', 'Correção'],
  ['perf', 'Melhoria'],
  ['refactor', 'Melhoria'],
  ['style', 'Melhoria'],
])

/** Conventional Commits 1.0.0, items 1 to 5 and 13: a type, an optional scope and `!`, and a description. */
const HEADER = /^(?<type>[\p{L}\d_-]+)(?:\([^()\n]*\))?(?<breaking>!)?: +(?<subject>\S[^\n]*)$/u

/**
 * Items 8 to 12 and 16: a token, then `: ` or ` #`. Only BREAKING CHANGE may contain a space, and it must be
 * upper case. Its text may start on the next line, as in Angular's guidelines.
 */
const FOOTER = /^(?:BREAKING[ -]CHANGE:(?:\s|$)|(?:BREAKING CHANGE|[A-Za-z][\w-]*)(?:: | #)\S)/
const BREAKING_FOOTER = /^BREAKING[ -]CHANGE(?::\s|:$| #)/m
/** Indented lines continue the value of a footer. */
const CONTINUATION = /^\s/

/** The subjects of `git fmt-merge-msg`, for refs and for the HEAD of a repository, and of GitHub. */
const MERGE_OF_REFS =
  /^Merge (?:HEAD, )?(?:(?:remote-tracking |remote )?branch(?:es)? '|tags? '|commits? '|pull request #\d+ )/
const ADDRESS = String.raw`(?:(?:[a-z][a-z\d+.-]*://|\.{0,2}/|~\w*/|(?:[\w.-]+@)?[\w.-]+:)[^\s,;]+|\.)`
const MERGE_OF_HEAD = new RegExp(`^Merge ${ADDRESS}(?:, ${ADDRESS})*(?:; .+)?(?: into \\S+)?$`)

export function isMerge({ message, parents }: Pick<Commit, 'message' | 'parents'>): boolean {
  const [subject = ''] = message.trimStart().split(/\r?\n/, 1)
  return (parents?.length ?? 0) > 1 || MERGE_OF_REFS.test(subject) || MERGE_OF_HEAD.test(subject)
}

export function parseCommit({ message, ...commit }: Commit): ParsedCommit {
  return { ...commit, change: isMerge({ ...commit, message }) ? null : parseMessage(message) }
}

/**
 * Parses a message by Conventional Commits 1.0.0. The type is case-insensitive. Footers are left out of the
 * description, because they name people. Any other message is an update titled by its first line.
 */
export function parseMessage(message: string): ParsedMessage {
  const text = message.toWellFormed().replaceAll('\0', '').replace(/\r\n/g, '\n').trim()
  const [header = '', ...rest] = (isVisible(text) ? text : '(sem mensagem)').split('\n')
  const body = withoutFooters(rest.join('\n').trim())
  const { type = '', breaking, subject } = HEADER.exec(header)?.groups ?? {}
  const typeName = type.toLowerCase()
  const isBreaking = breaking !== undefined || BREAKING_FOOTER.test(rest.join('\n'))
  const line = (subject ?? header).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const title = truncate(isVisible(line) ? line : '(sem título)', MAX_TITLE)
  return {
    category: CATEGORY_OF_TYPE.get(typeName) ?? 'Atualização',
    title,
    description: truncate(isVisible(body) ? body : title, MAX_DESCRIPTION),
    releaseType: isBreaking ? 'major' : typeName === 'feat' ? 'minor' : 'patch',
  }
}

/**
 * The body up to its footers. Footers start at a paragraph with a BREAKING CHANGE, or at the trailing paragraphs
 * that contain only footers. A sentence like `Note: …` therefore does not end the body.
 */
function withoutFooters(text: string): string {
  const paragraphs = text.split(/\n(?:[^\S\n]*\n)+/)
  const breaking = paragraphs.findIndex(
    (paragraph) => FOOTER.test(paragraph) && BREAKING_FOOTER.test(paragraph),
  )
  let end = paragraphs.length
  while (end > 0 && isFooters(paragraphs[end - 1] ?? '')) end--
  if (breaking >= 0) end = Math.min(end, breaking)
  return paragraphs.slice(0, end).join('\n\n').trim()
}

function isFooters(paragraph: string): boolean {
  const [first = '', ...others] = paragraph.split('\n')
  return FOOTER.test(first) && others.every((line) => FOOTER.test(line) || CONTINUATION.test(line))
}

/** Truncates to a number of code points. Returns a copy: a substring would keep the whole message in memory. */
function truncate(text: string, max: number): string {
  const kept = text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join('').trim()
  return Buffer.from(kept).toString()
}
