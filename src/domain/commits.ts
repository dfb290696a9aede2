import { type ChangelogCategory, MAX_DESCRIPTION, MAX_TITLE } from './changelog.ts'
import { isVisible } from './visibility.ts'

/** A commit as git tells it. */
export type Commit = {
  /** 7 to 64 hex digits in lower case */
  hash: string
  message: string
  /** When it was committed. */
  date: Date
  tags: string[]
  /** The hashes of its parents; null where they are not known. */
  parents: string[] | null
}

/** What a message says of a change. */
export type ParsedMessage = {
  category: ChangelogCategory
  title: string
  description: string
  isFeature: boolean
  isBreaking: boolean
}

const CATEGORY_OF_TYPE: Record<string, ChangelogCategory> = {
  feat: 'Nova Funcionalidade',
  fix: 'Correção',
  perf: 'Melhoria',
  refactor: 'Melhoria',
  style: 'Melhoria',
}

/** Conventional Commits 1.0.0, items 1 to 5 and 13: a type, perhaps a scope and a `!`, and a description. */
const HEADER = /^(?<type>[\p{L}\d_-]+)(?:\([^()\n]*\))?(?<breaking>!)?: +(?<subject>\S[^\n]*)$/u

/**
 * Items 8 to 12 and 16: a token, and `: ` or ` #`. Only BREAKING CHANGE may have a space, and must be in
 * capitals. Its text may begin in the next line, as Angular's guidelines have it.
 */
const FOOTER = /^(?:BREAKING[ -]CHANGE:(?:\s|$)|(?:BREAKING CHANGE|[A-Za-z][\w-]*)(?:: | #)\S)/
const BREAKING_FOOTER = /^BREAKING[ -]CHANGE(?::\s|:$| #)/m
/** The value of a footer may go on in indented lines. */
const CONTINUATION = /^\s/

/** What `git fmt-merge-msg` writes: of refs, or of a repository's HEAD, or of several; and what GitHub writes. */
const MERGE_OF_REFS =
  /^Merge (?:HEAD, )?(?:(?:remote-tracking |remote )?branch(?:es)? '|tags? '|commits? '|pull request #\d+ )/
const ADDRESS = String.raw`(?:(?:[a-z][a-z\d+.-]*://|\.{0,2}/|~\w*/|(?:[\w.-]+@)?[\w.-]+:)[^\s,;]+|\.)`
const MERGE_OF_HEAD = new RegExp(`^Merge ${ADDRESS}(?:, ${ADDRESS})*(?:; .+)?(?: into \\S+)?$`)

export function isMerge({ message, parents }: Pick<Commit, 'message' | 'parents'>): boolean {
  const [subject = ''] = message.trimStart().split(/\r?\n/, 1)
  return (parents?.length ?? 0) > 1 || MERGE_OF_REFS.test(subject) || MERGE_OF_HEAD.test(subject)
}

/**
 * Reads a message by Conventional Commits 1.0.0. The type counts without case. Footers are no part of the
 * description: they name people. A message that follows no convention is an update named by its first line.
 */
export function parseMessage(message: string): ParsedMessage {
  const text = message.toWellFormed().replaceAll('\0', '').replace(/\r\n/g, '\n').trim()
  const [header = '', ...rest] = (isVisible(text) ? text : '(sem mensagem)').split('\n')
  const body = withoutFooters(rest.join('\n').trim())
  const { type = '', breaking, subject } = HEADER.exec(header)?.groups ?? {}
  const typeName = type.toLowerCase()
  const line = (subject ?? header).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const title = cut(isVisible(line) ? line : '(sem título)', MAX_TITLE)
  return {
    category: (Object.hasOwn(CATEGORY_OF_TYPE, typeName) && CATEGORY_OF_TYPE[typeName]) || 'Atualização',
    title,
    description: cut(isVisible(body) ? body : title, MAX_DESCRIPTION),
    isFeature: typeName === 'feat',
    isBreaking: breaking !== undefined || BREAKING_FOOTER.test(rest.join('\n')),
  }
}

/**
 * The body, which footers end. They begin a paragraph: one that tells a BREAKING CHANGE, or the first of the
 * last paragraphs that hold nothing but footers. So no sentence like `Note: …` ends a body.
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

/** The first code points of a text. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('').trim()
}
