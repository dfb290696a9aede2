import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A text that repeats a piece behind a beginning and before an end, as long as needed. */
export type Shape = { start: string; piece: string; end: string }

/** Ends nothing that an expression looks for, and is no line end to `.` without the flag `s`. */
const END = '\u2028!'

const shape = (piece: string, start = '', end = END): Shape => ({ start, piece, end })

/** Marks of different classes, which are reordered when a text is normalized. */
const MARKS = '\u0345\u0334\u0323'

export const GENERAL: Shape[] = [
  ...[
    ' ',
    '\t',
    '\n',
    '\r\n ',
    '\u2028',
    ',',
    ', ',
    ';',
    '"',
    "'",
    '\\',
    '(',
    '()',
    '[{',
  ],
  ...['1', '0', '1.', 'a.', 'a-', 'a:', '/', '%', '+', '=', '&', '#', '@', 'a@', '<a>'],
  ...['\u200b', '\u00ad', '\u0301', '\u00a8', '\u3164', 'Σ', 'İ', 'ﬃ', '☺\u200d', 'ﾞ'],
  MARKS,
  `${MARKS.repeat(10)}ﾞ`,
  `a${MARKS.repeat(10)}`,
].map((piece) => shape(piece, 'a'))

/** What reads settings and answers of hosts alone, which no stranger sends. */
const OF_NOBODY = [
  'settings.ts',
  'log.ts',
  'security/passwords.ts',
  'database/database-error.ts',
]

const COMMENT = /\/\*\*.*?\*\/|^\s*\/\/.*?$/gms

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(
    (name) =>
      name.endsWith('.ts') && !name.startsWith('generated') && !OF_NOBODY.includes(name),
  )
  .map((name) => readFileSync(join('src', name), 'utf8').replace(COMMENT, ''))

/** The names of all headers that the source reads, and of those that Hono reads for it. */
export const HEADERS = [
  ...new Set([
    ...sources.flatMap((text) =>
      Array.from(
        text.matchAll(/\b(?:header|headers\.get)\('([\w-]+)'\)/g),
        ([, name = '']) => name,
      ),
    ),
    'Access-Control-Request-Headers',
    'Origin',
  ]),
]

const LITERAL =
  /(?<=[\s(![,=:?])\/(?![*/\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/[dgimsuvy]*(?=[\s.,;)\]])/g
const TEMPLATE = /new RegExp\(\s*[`'](.+?)[`'],?/g

const EXPRESSIONS = sources.flatMap((text) => [
  ...Array.from(text.matchAll(LITERAL), ([, source = '']) => source),
  ...Array.from(text.matchAll(TEMPLATE), ([, source = '']) => source),
])

/** A class, a property, an escape, the start of a group, a quantifier, or one character. */
const TOKEN =
  /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\.|\(\?(?:<\w+>|<?[=!]|:)|\{\d+(?:,\d*)?\}|./gsu
const UNBOUNDED = /^(?:[*+]|\{\d+,\})$/
const QUANTIFIER = /^(?:[*+?]|\{.+\})$/
const ASCII = String.fromCharCode(
  ...Array(95)
    .keys()
    .map((index) => index + 32),
)
const CANDIDATES = ` a1A.-${ASCII}\n\u0301\u200b\u2013é`

/** A character that a token matches; '' for what matches none. */
function characterOf(token: string): string {
  if (QUANTIFIER.test(token) || /^(?:[()|^$]|\(\?.*|\\b|\\B)$/s.test(token)) return ''
  const one = new RegExp(`^${token}$`, /\\[pP]\{/.test(token) ? 'u' : '')
  return (
    [...CANDIDATES].find((character) => one.test(character)) ?? token.replace('\\', '')
  )
}

/**
 * What nearly matches an expression: up to each of its unbounded repetitions, with this repeated;
 * and all before it repeated, with what follows.
 */
function nearMissesOf(source: string): Shape[] {
  const tokens = source.match(TOKEN) ?? []
  const texts = tokens.map((token, at) => {
    const [, times = ''] = /^\{(\d+)/.exec(token) ?? []
    return times
      ? characterOf(tokens[at - 1] ?? '').repeat(Math.max(0, Number(times) - 1))
      : characterOf(token)
  })
  return tokens.flatMap((token, at) => {
    if (!UNBOUNDED.test(token)) return []
    const first = startOfRepeated(tokens, at)
    const before = texts.slice(0, first).join('')
    const repeated = texts.slice(first, at).join('')
    const after = texts.slice(at).join('')
    const all = [shape(repeated, before), shape(before + repeated, '', after)]
    return all.filter(({ piece }) => piece !== '')
  })
}

/** Where the part begins that the quantifier at a position repeats. */
function startOfRepeated(tokens: string[], at: number): number {
  if (tokens[at - 1] !== ')') return at - 1
  let depth = 0
  for (let index = at - 1; index >= 0; index--) {
    if (tokens[index] === ')') depth += 1
    if (tokens[index]?.startsWith('(')) depth -= 1
    if (depth === 0) return index
  }
  return 0
}

const byText = (shapes: Shape[]) => [
  ...new Map(shapes.map((one) => [JSON.stringify(one), one])).values(),
]

/** The hostile texts: those of every kind, and the near misses of each expression of the source. */
export const SHAPES: Shape[] = byText([...GENERAL, ...EXPRESSIONS.flatMap(nearMissesOf)])

/** A text of a shape of at most so many bytes as it is sent. */
export function fill(
  { start, piece, end }: Shape,
  bytes: number,
  encode: (text: string) => string,
) {
  const sizeOf = (text: string) => Buffer.byteLength(encode(text))
  const room = bytes - sizeOf(start) - sizeOf(end)
  return start + piece.repeat(Math.floor(room / sizeOf(piece))) + end
}
