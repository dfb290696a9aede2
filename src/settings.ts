import { CONTROL_CHARACTER } from '#domain/characters.ts'
import type { CoverLines, CoverTexts } from '#domain/cover-texts.ts'
import { EMAIL_ADDRESS } from '#domain/email-address.ts'
import { fold } from '#domain/folding.ts'

// A parser takes the value of one setting, and returns what the service uses or says what is wrong.

/**
 * Missing or invalid settings. The message names them and never holds a value, but that of a wrong
 * origin.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly string[]

  constructor(...problems: string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

/** Parses the value of a setting. @throws {SettingsError} with what it must be */
type Parser<Value> = (value: unknown) => Value

const withDefault =
  <Value>(byDefault: Value, parse: Parser<Value>): Parser<Value> =>
  (value) =>
    value === undefined ? byDefault : parse(value)

const textThat =
  (problem: string, holds: (text: string) => boolean): Parser<string> =>
  (value) => {
    if (typeof value === 'string' && holds(value)) return value
    throw new SettingsError(problem)
  }

const wholeNumber =
  (problem: string, minimum: number, maximum: number): Parser<number> =>
  (value) => {
    const number = Number(value)
    if (Number.isInteger(number) && number >= minimum && number <= maximum) return number
    throw new SettingsError(problem)
  }

const flag: Parser<boolean> = (value) => {
  const text = String(value)
  if (text === 'true' || text === 'false') return text === 'true'
  throw new SettingsError('must be true or false')
}

const secret = textThat(
  'must have at least 32 bytes',
  (text) => Buffer.byteLength(text) >= 32,
)

const anyText = textThat('must be a text', () => true)

/** A host as a browser sends it, which `URL` does not require: it takes `*` and empty labels. */
const HOST = /^[\w-]+(?:\.[\w-]+)*$|^\[/

/** Parses an http or https address. Returns null for anything else, also with a password. */
function parseAddress(value: unknown): URL | null {
  const url = URL.parse(String(value))
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null
  return HOST.test(url.hostname) ? url : null
}

const httpUrl: Parser<string> = (value) => {
  const url = parseAddress(value)
  if (url) return url.href
  throw new SettingsError(
    'must be an http or https address, as https://painel.example.org',
  )
}

/** Returns whether an address is one of this machine. */
export const isLoopback = (url: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')

const withoutSlashes = (text: string) => text.replace(/\/+$/, '')

/** An address of a git server. Without TLS, which would show its token, only of this machine. */
const gitApiUrl: Parser<string> = (value) => {
  const url = httpUrl(value)
  if (URL.parse(url)?.protocol !== 'http:' || isLoopback(url)) return withoutSlashes(url)
  throw new SettingsError('must be an https address, because the token is sent there')
}

/** Returns the origin as browsers send it; undefined for an address with more than an origin. */
function originOf(value: unknown): string | undefined {
  const url = parseAddress(value)
  return url && url.href === `${url.origin}/` ? url.origin : undefined
}

/** Front ends on any port of the own machine, which `npm start` allows. */
export const LOOPBACK_ORIGINS = ['localhost', '127.0.0.1', '[::1]'].flatMap((host) => [
  `http://${host}:*`,
  `https://${host}:*`,
])

/** Whether CORS_ORIGINS has an origin, or its host with any port. */
export const isAllowedOrigin = (
  { CORS_ORIGINS }: Pick<Settings, 'CORS_ORIGINS'>,
  origin: string,
): boolean =>
  CORS_ORIGINS.includes(origin) || CORS_ORIGINS.includes(origin.replace(/(:\d+)?$/, ':*'))

const listedOrigin = (text: string) =>
  LOOPBACK_ORIGINS.includes(text) ? text : originOf(text)

const origins: Parser<string[]> = (value) => {
  const texts = String(value)
    .split(',')
    .map((text) => text.trim())
  const wrong = texts.filter((text) => !listedOrigin(text))
  if (wrong.length === 0) return texts.flatMap((text) => listedOrigin(text) ?? [])
  throw new SettingsError(
    ...wrong.map(
      (text) =>
        `"${text}" is no origin, as https://painel.example.org; commas separate several`,
    ),
  )
}

/** The origin of the service. */
const publicUrl: Parser<string> = (value) => {
  const origin = originOf(value)
  if (origin) return origin
  throw new SettingsError(
    'must be the address of the service without a path, as https://api.example.org',
  )
}

/** An address, alone or behind a name, as `EMAIL.send` takes it. */
const sender: Parser<string | { name: string; email: string }> = (value) => {
  const text = String(value)
  const [, name, address = text] = /^\s*"?([^"<>]+?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? []
  const email = address.trim().toLowerCase()
  const isValid = EMAIL_ADDRESS.test(email) && !CONTROL_CHARACTER.test(name ?? '')
  if (isValid) return name === undefined ? email : { name, email }
  throw new SettingsError(
    'must be an email address, or a name with one: Chancelaria <nao-responda@example.org>',
  )
}

const line: Parser<string> = (value) => {
  const text = typeof value === 'string' ? value.trim() : '\n'
  if ([...text].length <= 200 && !CONTROL_CHARACTER.test(text)) return text
  throw new SettingsError('must be one line of at most 200 characters')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const REPEATED_GROUP = 'is there twice, because case, accents and blanks do not matter'

/**
 * Confidentiality lines by group name: a table of wrangler.toml, or JSON text from .dev.vars or the
 * shell. A missing line is null.
 */
const coverTexts: Parser<CoverTexts> = (value) => {
  const groups = typeof value === 'string' ? parseJson(value) : value
  if (!isObject(groups)) throw new SettingsError('must map group names to their lines')
  const texts = new Map<string, CoverLines>()
  for (const [name, lines] of Object.entries(groups)) {
    const group = fold(name.trim())
    if (texts.has(group)) throw new SettingsError(`${name}: ${REPEATED_GROUP}`)
    texts.set(group, coverLines(name, lines))
  }
  return texts
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SettingsError('must be JSON')
  }
}

function coverLines(group: string, lines: unknown) {
  const { line_1 = null, line_2 = null, ...others } = isObject(lines) ? lines : { lines }
  if (Object.keys(others).length > 0) {
    throw new SettingsError(`${group}: must contain only line_1 and line_2`)
  }
  return {
    line_1: coverLine(`${group}: line_1`, line_1),
    line_2: coverLine(`${group}: line_2`, line_2),
  }
}

function coverLine(place: string, line: unknown): string | null {
  if (typeof line === 'string' || line === null) return line
  throw new SettingsError(`${place}: must be a text or null`)
}

const YEAR = 31_536_000 // in seconds
const SESSION_TTL_MESSAGE = `must be a whole number of seconds, JWT_TTL_SECONDS to ${YEAR}`

/** The settings that are required or have a default. */
const parsers = {
  JWT_SECRET: secret,
  JWT_TTL_SECONDS: withDefault(
    3600,
    wholeNumber(`must be a whole number of seconds, 1 to ${YEAR}`, 1, YEAR),
  ),
  CORS_ORIGINS: withDefault([], origins),
  REQUIRE_EMAIL_VERIFICATION: withDefault(false, flag),
  REQUIRE_SECOND_FACTOR: withDefault(false, flag),
  COVER_TEXTS: coverTexts,
  GIT_API_URL: withDefault('https://api.github.com', gitApiUrl),
}

/** The settings that may be unset. */
const optionalParsers = {
  JWT_SECRET_PREVIOUS: secret,
  SESSION_TTL_SECONDS: wholeNumber(SESSION_TTL_MESSAGE, 1, YEAR),
  EMAIL_FROM: sender,
  PUBLIC_URL: publicUrl,
  EMAIL_VERIFICATION_URL: httpUrl,
  PASSWORD_RESET_URL: httpUrl,
  OFFICE_CONTACT: line,
  LOGIN_URL: httpUrl,
  AUDIT_RETENTION_DAYS: wholeNumber(
    'must be a whole number of days, 30 to 36500',
    30,
    36_500,
  ),
  GIT_REPOSITORY: textThat('must have the form owner/name', (text) =>
    /^[\w.-]+\/[\w.-]+$/.test(text),
  ),
  GIT_BRANCH: anyText,
  GIT_TOKEN: anyText,
}

/** The names of all settings: environment variables. */
export const settingNames = [...Object.keys(parsers), ...Object.keys(optionalParsers)]

type Values<Parsers extends Record<string, Parser<unknown>>> = {
  [Name in keyof Parsers]: ReturnType<Parsers[Name]>
}
export type Settings = Values<typeof parsers> & Partial<Values<typeof optionalParsers>>

/** The name of the office, which its emails and pages bear; undefined if it has none. */
export function officeName({
  EMAIL_FROM,
}: Pick<Settings, 'EMAIL_FROM'>): string | undefined {
  return typeof EMAIL_FROM === 'object' ? EMAIL_FROM.name : undefined
}

const parsed = new WeakMap<object, Settings>()

/**
 * Parses an environment, with its bindings, once. An empty string means unset.
 * @throws {SettingsError} naming every missing or invalid setting
 */
export function parseSettings(environment: object): Settings {
  const cached = parsed.get(environment)
  if (cached) return cached

  const values = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== ''),
  )
  const settings: Record<string, unknown> = {}
  const problems: string[] = []
  const all: Record<string, Parser<unknown>> = { ...parsers, ...optionalParsers }
  for (const [name, parse] of Object.entries(all)) {
    if (values[name] === undefined && name in optionalParsers) continue
    try {
      settings[name] = parse(values[name])
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      problems.push(...error.problems.map((problem) => `${name}: ${problem}`))
    }
  }
  problems.push(...spoiltTexts(values), ...contradictions(settings, values))
  if (problems.length > 0) {
    throw new SettingsError(...new Set(problems.map((problem) => `setting ${problem}`)))
  }
  parsed.set(environment, settings as Settings)
  return settings as Settings // each by its parser
}

/** U+FFFD stands for bytes that are not UTF-8. */
const spoiltTexts = (values: Record<string, unknown>): string[] =>
  settingNames
    .filter((name) => JSON.stringify(values[name])?.includes('\uFFFD'))
    .map((name) => `${name}: has lost letters (U+FFFD); save the file as UTF-8`)

/** Settings that are valid alone, but not beside others or without a binding. */
function contradictions(settings: Partial<Settings>, { EMAIL }: Record<string, unknown>) {
  const { JWT_TTL_SECONDS = 0, SESSION_TTL_SECONDS = YEAR } = settings
  const problems: string[] = []
  if (SESSION_TTL_SECONDS < JWT_TTL_SECONDS) {
    problems.push(`SESSION_TTL_SECONDS: ${SESSION_TTL_MESSAGE}`)
  }
  if (settings.REQUIRE_EMAIL_VERIFICATION && EMAIL === undefined) {
    problems.push('REQUIRE_EMAIL_VERIFICATION: needs [[send_email]], which binds EMAIL')
  }
  return problems
}
