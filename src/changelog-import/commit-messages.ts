import { type ChangelogCategory, MAX_DESCRIPTION, MAX_TITLE } from '#domain/changelog.ts'
import type { ReleaseType } from '#domain/versions.ts'
import { isVisible } from '#domain/visibility.ts'

/** The parts of a commit message that a changelog entry keeps. */
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

/** The first line by Conventional Commits 1.0.0, items 1 to 5 and 13. */
const HEADER =
  /^(?<type>[\p{L}\d_-]+)(?:\([^()]*\))?(?<breaking>!)?: +(?<subject>\S.*)$/su

/**
 * Items 8 to 12 and 16: a token, then `: ` or ` #`. Only BREAKING CHANGE may contain a space, and
 * it must be upper case. Its text may start on the next line, as in Angular's guidelines.
 */
const FOOTERS = [
  /^[A-Za-z][\w-]*(?:: | #)\S/,
  /^BREAKING CHANGE(?:: | #)\S/,
  /^BREAKING[ -]CHANGE:(?:\s|$)/,
]

const BREAKING_FOOTER = /^BREAKING[ -]CHANGE(?::\s|:$| #)/m

/** Indented lines continue the value of a footer. */
const CONTINUATION = /^\s/

/**
 * Parses a message by Conventional Commits 1.0.0. The type is case-insensitive. Footers are left
 * out of the description, because they name people. Any other message is an update titled by its
 * first line.
 */
export function parseMessage(message: string): ParsedMessage {
  const text = toStorable(message).trim()
  const lines = orElse(text, '(sem mensagem)').split('\n')
  const [firstLine = '', ...otherLines] = lines
  const rest = otherLines.join('\n')

  const header = HEADER.exec(firstLine)?.groups
  const type = header?.type?.toLowerCase() ?? ''
  const subject = header?.subject ?? firstLine
  const body = withoutFooters(rest.trim())
  const isBreaking = header?.breaking !== undefined || BREAKING_FOOTER.test(rest)

  const title = truncate(toOneLine(subject), MAX_TITLE)
  return {
    category: CATEGORY_OF_TYPE.get(type) ?? 'Atualização',
    title,
    description: truncate(orElse(body, title), MAX_DESCRIPTION),
    releaseType: releaseTypeOf(type, isBreaking),
  }
}

/** Removes characters that a database cannot store, and converts line ends to Unix. */
function toStorable(message: string): string {
  return message.toWellFormed().replaceAll('\0', '').replaceAll('\r\n', '\n')
}

function toOneLine(subject: string): string {
  const line = subject.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  return orElse(line.trim(), '(sem título)')
}

/** Returns a text, or another one if it has no visible character. */
function orElse(text: string, other: string): string {
  return isVisible(text) ? text : other
}

function releaseTypeOf(type: string, isBreaking: boolean): ReleaseType {
  if (isBreaking) return 'major'
  return type === 'feat' ? 'minor' : 'patch'
}

/**
 * The body up to its footers. Footers start at a paragraph with a BREAKING CHANGE, or at the
 * trailing paragraphs that contain only footers. A sentence like `Note: …` therefore does not end
 * the body.
 */
function withoutFooters(text: string): string {
  const paragraphs = text.split(/\n(?:[^\S\n]*\n)+/)
  let end = paragraphs.length
  while (end > 0 && hasOnlyFooters(paragraphs[end - 1] ?? '')) {
    end -= 1
  }

  const breaking = paragraphs.findIndex(isBreakingChange)
  if (breaking >= 0) {
    end = Math.min(end, breaking)
  }
  return paragraphs.slice(0, end).join('\n\n').trim()
}

function hasOnlyFooters(paragraph: string): boolean {
  const [first = '', ...others] = paragraph.split('\n')
  if (!isFooter(first)) return false
  for (const line of others) {
    if (!isFooter(line) && !CONTINUATION.test(line)) return false
  }
  return true
}

function isBreakingChange(paragraph: string): boolean {
  return isFooter(paragraph) && BREAKING_FOOTER.test(paragraph)
}

function isFooter(text: string): boolean {
  return FOOTERS.some((footer) => footer.test(text))
}

/**
 * Truncates to a number of code points. Returns a copy: a substring would keep the whole message
 * in memory.
 */
function truncate(text: string, max: number): string {
  return Buffer.from(firstCodePoints(text, max)).toString()
}

function firstCodePoints(text: string, max: number): string {
  if (text.length <= max) return text
  const candidates = text.slice(0, 2 * max) // a code point has one or two units
  return [...candidates].slice(0, max).join('').trim()
}
