import { type ChangelogCategory, MAX_DESCRIPTION, MAX_TITLE } from '#domain/changelog.ts'
import { isVisible, withoutFormatCharacters } from '#domain/characters.ts'
import { unicodePattern } from '#domain/unicode-pattern.ts'
import type { ReleaseType } from '#domain/versions.ts'

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

/** The subjects that git, GitHub and GitLab write for a merge. */
const MERGE_SUBJECTS = [
  /^Merge (?:remote-tracking )?branch(?:es)? '/,
  /^Merge (?:tag|commit)s? '/,
  /^Merge pull request #\d+ from /,
  // git pull of an address without a branch
  /^Merge (?:\w+:\/\/|[\w.-]+@[\w.-]+:|\.\.?\/)\S+(?: into \S+)?(?:[\r\n]|$)/,
]

/** Returns whether git or its host wrote a message for a merge. */
export function isMergeMessage(message: string): boolean {
  const subject = message.trimStart()
  return MERGE_SUBJECTS.some((pattern) => pattern.test(subject))
}

/** The first line by Conventional Commits 1.0.0, items 1 to 5 and 13. */
const headerLine = unicodePattern(
  String.raw`^(?<type>[\p{L}\d_-]+)(?:\([^()]*\))?(?<breaking>!)?: +(?<subject>\S.*)$`,
  'su',
)

/** A line that starts a breaking change. Its text may follow, as in Angular's guidelines. */
const BREAKING_LINE = /^\s*BREAKING[ -]CHANGE(?::\s|:$| #)/

/** A word without a hyphen could start a sentence: `Note: …`. */
const FOOTERS = [
  /^[A-Za-z]+(?:-[A-Za-z]+)+(?:: | #)/, // `Reviewed-by: Z`
  /^\(cherry picked from commit [\dA-Fa-f]+\)\s*$/, // git cherry-pick -x
  /^-{3,}\s*$/, // GitHub, before the authors of a squashed branch
]

/** `Closes #12` */
const issueFooter = unicodePattern(String.raw`^[\p{L}\d_-]+:? #\d`)

/** A line that names a person: `Signed-off-by: Ana <ana@example.org>`, also with a remark. */
const personLine = unicodePattern(
  String.raw`^\s*[\p{L}\d_-]+: .*<[^\s<>@/]+@[^\s<>@/]+>\s*(?:[#([].*)?$`,
  'su',
)

/** Lines around the messages of a squashed commit, which release-please reads. */
const NESTING = ['BEGIN_NESTED_COMMIT', 'END_NESTED_COMMIT']

/** An indented line continues the footer before it. */
const CONTINUATION = /^\s/

/**
 * Parses a message by Conventional Commits 1.0.0. The type is case-insensitive. Footers are left
 * out of the description, because they name people. Any other message is an update titled by its
 * first line. The texts are valid in a request, too.
 */
export function parseMessage(message: string): ParsedMessage {
  const text = toValidText(message).trim()
  const [firstLine = '', ...otherLines] = orElse(text, '(sem mensagem)').split('\n')

  const header = headerLine().exec(firstLine)?.groups
  const type = header?.type?.toLowerCase() ?? ''
  const isBreaking =
    header?.breaking !== undefined || otherLines.some((line) => BREAKING_LINE.test(line))

  const subject = toOneLine(header?.subject ?? firstLine)
  const title = orElse(truncate(subject, MAX_TITLE), '(sem título)')
  const body = withoutFooters(otherLines)
  return {
    category: CATEGORY_OF_TYPE.get(type) ?? 'Atualização',
    title,
    description: orElse(truncate(body, MAX_DESCRIPTION), title),
    releaseType: releaseTypeOf(type, isBreaking),
  }
}

/** Rewrites a message in short. Parsing the result gives the same as parsing the message. */
export function shortenMessage(message: string): string {
  const { category, title, description, releaseType } = parseMessage(message)
  const types = [...CATEGORY_OF_TYPE.keys()]
  const type = types.find((one) => CATEGORY_OF_TYPE.get(one) === category) ?? 'chore'
  const body = description === title ? '' : description
  const footer = releaseType === 'major' ? 'BREAKING CHANGE: sim' : ''
  return `${type}: ${title}\n\n${body}\n\n${footer}`
}

/** Removes what a request could not contain, and converts line ends to Unix. */
function toValidText(message: string): string {
  const withoutControls = message
    .toWellFormed()
    .replace(/[^\t\n\r -~\u00A0-\u{10FFFF}]/gu, '')
  const text = limitMarks(withoutFormatCharacters(withoutControls)).normalize('NFC')
  return limitMarks(text).replaceAll('\r\n', '\n') // NFC splits some marks in two
}

/** Keeps 30 combining marks in a row (see `isStreamSafe`). */
const limitMarks = (text: string) => text.replace(excessMarks(), '$1')

const excessMarks = unicodePattern(String.raw`(\p{M}{30})\p{M}+`, 'gu')

const toOneLine = (subject: string) =>
  subject.replace(/[^ -~\u00A0-\u2027\u202A-\u{10FFFF}]+/gu, ' ').trim()

/** Returns a text, or another one if it has no visible character. */
const orElse = (text: string, other: string) => (isVisible(text) ? text : other)

function releaseTypeOf(type: string, isBreaking: boolean): ReleaseType {
  if (isBreaking) return 'major'
  return type === 'feat' ? 'minor' : 'patch'
}

/**
 * Returns the paragraphs up to a breaking change, or up to trailing paragraphs that contain only
 * footers, without the lines that name people or nest messages.
 */
function withoutFooters(lines: string[]): string {
  const text = lines
    .filter((line) => !NESTING.includes(line.trim()))
    .join('\n')
    .trim()
  const paragraphs = text.split(/\n(?:[^\S\n]*\n)+/).map((one) => one.split('\n'))
  const breaking = paragraphs.findIndex(isBreakingChange)
  let end = breaking < 0 ? paragraphs.length : breaking
  while (end > 0 && hasOnlyFooters(paragraphs[end - 1] ?? [])) {
    end -= 1
  }
  const kept = paragraphs.slice(0, end).map(withoutPeople)
  return kept.filter(Boolean).join('\n\n').trim()
}

/** Returns whether a paragraph starts with a footer and contains a breaking change. */
function isBreakingChange(lines: string[]): boolean {
  const [first = ''] = lines
  return isFooter(first) && lines.some((line) => BREAKING_LINE.test(line))
}

function hasOnlyFooters(lines: string[]): boolean {
  const [first = '', ...others] = withoutYaml(lines)
  return (
    isFooter(first) && others.every((line) => isFooter(line) || CONTINUATION.test(line))
  )
}

/** Removes the rest of a block from `---` to `...`, as Dependabot writes it. */
function withoutYaml(lines: string[]): string[] {
  const start = lines.indexOf('---')
  const end = start < 0 ? start : lines.indexOf('...', start)
  return end < 0 ? lines : lines.toSpliced(start + 1, end - start)
}

const withoutPeople = (lines: string[]) =>
  lines.filter((line) => !personLine().test(line)).join('\n')

const isFooter = (line: string) =>
  [BREAKING_LINE, personLine(), issueFooter(), ...FOOTERS].some((footer) =>
    footer.test(line),
  )

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
