import * as z from 'zod/mini'
import type { CoverTexts } from '#domain/cover-texts.ts'
import { EMAIL_ADDRESS } from '#domain/email-address.ts'
import { fold } from '#domain/folding.ts'

/** Error messages of settings whose schema has none of its own. */
const MESSAGES: Record<string, string> = {
  JWT_SECRET: 'must have at least 32 bytes',
  JWT_SECRET_PREVIOUS: 'must have at least 32 bytes',
  JWT_TTL_SECONDS: 'must be a whole number of seconds, 1 to 31536000',
  SESSION_TTL_SECONDS: 'must be a whole number of seconds, JWT_TTL_SECONDS to 31536000',
  REQUIRE_EMAIL_VERIFICATION: 'must be true or false',
  REQUIRE_SECOND_FACTOR: 'must be true or false',
  EMAIL_FROM:
    'must be an email address, or a name with one: Chancelaria <nao-responda@example.org>',
  PUBLIC_URL:
    'must be the address of the service without a path, as https://api.example.org',
  OFFICE_CONTACT: 'must be one line of at most 200 characters',
  AUDIT_RETENTION_DAYS: 'must be a whole number of days, 30 to 36500',
  GIT_REPOSITORY: 'must have the form owner/name',
}

const secret = z.string().check(z.refine((text) => Buffer.byteLength(text) >= 32))

const httpUrl = z
  .string()
  .check(
    z.refine(
      (text) => /^https?:/.test(text) && URL.canParse(text),
      'must be an http or https address',
    ),
  )

/** Returns whether an address is one of this machine. */
export const isLoopback = (url: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')

/** An address of a git server. Without TLS, which would show its token, only of this machine. */
const gitApiUrl = httpUrl.check(
  z.refine(
    (text) => URL.parse(text)?.protocol !== 'http:' || isLoopback(text),
    'must be an https address, because the token is sent there',
  ),
)

/** Whether a text is an http or https origin, as browsers send it. */
const isOrigin = (text: string) =>
  text.startsWith('http') && URL.parse(text)?.origin === text

/** Front ends on any port of the own machine, which `npm start` allows. */
export const LOOPBACK_ORIGINS = ['localhost', '127.0.0.1', '[::1]'].flatMap((host) => [
  `http://${host}:*`,
  `https://${host}:*`,
])

const isListable = (text: string) => isOrigin(text) || LOOPBACK_ORIGINS.includes(text)

/** Whether CORS_ORIGINS has an origin, or its host with any port. */
export const isAllowedOrigin = (
  { CORS_ORIGINS }: Pick<Settings, 'CORS_ORIGINS'>,
  origin: string,
): boolean =>
  CORS_ORIGINS.includes(origin) || CORS_ORIGINS.includes(origin.replace(/(:\d+)?$/, ':*'))

const originMessage = (text: string) =>
  text.endsWith('/') && isOrigin(text.slice(0, -1))
    ? `remove the slash at the end of "${text}"`
    : `"${text}" is no origin, as https://painel.example.org; commas separate several`

const withoutSlashes = z.overwrite((text: string) => text.replace(/\/+$/, ''))

const origins = z.pipe(
  z.transform((text) => String(text).split(/\s*,\s*/)),
  z.array(
    z
      .string()
      .check(
        z.refine(isListable, { error: ({ input }) => originMessage(String(input)) }),
      ),
  ),
)

const flag = z.pipe(
  z.pipe(z.transform(String), z.enum(['true', 'false'])),
  z.transform((value) => value === 'true'),
)

/** An address, alone or behind a name, as `EMAIL.send` takes it. */
const sender = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const [, name, address = text] =
      /^\s*"?([^"<>\p{Cc}]+?)"?\s*<([^<>]+)>\s*$/u.exec(text) ?? []
    const email = address.trim().toLowerCase()
    if (EMAIL_ADDRESS.test(email)) return name === undefined ? email : { name, email }
    context.issues.push({ code: 'custom', input: undefined })
    return z.NEVER
  }),
)

const line = z.string().check(z.trim(), z.regex(/^[^\p{Cc}\u2028\u2029]{0,200}$/u))

/** An object from wrangler.toml, or JSON text from .dev.vars or the shell. */
const json = z.transform((value, context) => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown // not any
  } catch {
    context.issues.push({ code: 'custom', message: 'must be JSON', input: undefined })
    return z.NEVER
  }
})

const coverLine = z._default(z.nullable(z.string('must be a text or null')), null)

/** Confidentiality lines by group name. A missing line is null. */
const coverTexts = z.catchall(
  z.object({}, 'must map group names to their lines'),
  z.strictObject(
    { line_1: coverLine, line_2: coverLine },
    'must contain only line_1 and line_2',
  ),
)

const byFoldedName = z.transform(
  (texts: z.output<typeof coverTexts>): CoverTexts =>
    new Map(Object.entries(texts).map(([name, lines]) => [fold(name), lines])),
)

const wholeNumber = (minimum: number, maximum: number) =>
  z.pipe(z.transform(Number), z.int().check(z.minimum(minimum), z.maximum(maximum)))

type Lifetimes = { JWT_TTL_SECONDS: number; SESSION_TTL_SECONDS?: number | undefined }

const isAsLongAsToken = ({ JWT_TTL_SECONDS, SESSION_TTL_SECONDS }: Lifetimes) =>
  SESSION_TTL_SECONDS === undefined || SESSION_TTL_SECONDS >= JWT_TTL_SECONDS

/** All settings, by environment variable. */
export const settingsSchema = z
  .object({
    JWT_SECRET: secret,
    JWT_SECRET_PREVIOUS: z.optional(secret),
    JWT_TTL_SECONDS: z._default(wholeNumber(1, 31_536_000), 3600),
    SESSION_TTL_SECONDS: z.optional(wholeNumber(1, 31_536_000)),
    CORS_ORIGINS: z._default(origins, []),
    REQUIRE_EMAIL_VERIFICATION: z._default(flag, false),
    REQUIRE_SECOND_FACTOR: z._default(flag, false),
    EMAIL_FROM: z.optional(sender),
    PUBLIC_URL: z.optional(z.string().check(withoutSlashes, z.refine(isOrigin))),
    EMAIL_VERIFICATION_URL: z.optional(httpUrl),
    PASSWORD_RESET_URL: z.optional(httpUrl),
    OFFICE_CONTACT: z.optional(line),
    LOGIN_URL: z.optional(httpUrl),
    AUDIT_RETENTION_DAYS: z.optional(wholeNumber(30, 36_500)),
    COVER_TEXTS: z.pipe(json, z.pipe(coverTexts, byFoldedName)),
    GIT_REPOSITORY: z.optional(z.string().check(z.regex(/^[\w.-]+\/[\w.-]+$/))),
    GIT_BRANCH: z.optional(z.string()),
    GIT_API_URL: z._default(gitApiUrl.check(withoutSlashes), 'https://api.github.com'),
    GIT_TOKEN: z.optional(z.string()),
  })
  .check(z.refine(isAsLongAsToken, { path: ['SESSION_TTL_SECONDS'] }))

export type Settings = z.infer<typeof settingsSchema>

/** The name of the office, which its emails and pages bear; undefined if it has none. */
export function officeName({
  EMAIL_FROM,
}: Pick<Settings, 'EMAIL_FROM'>): string | undefined {
  return typeof EMAIL_FROM === 'object' ? EMAIL_FROM.name : undefined
}

/**
 * Missing or invalid settings. The message names them and never holds a value, but that of a wrong
 * origin.
 */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(...problems: string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
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
  const { data, error } = settingsSchema.safeParse(values, {
    error: ({ path }) => MESSAGES[String(path?.[0])],
  })
  const problems = error?.issues.map(({ path: [name, ...place], message }) => {
    const keys = place.filter((key) => typeof key === 'string') // not the index of an origin
    return [String(name), ...keys, message].join(': ')
  })
  const all = [...(problems ?? []), ...spoiltTexts(values), ...unsentEmails(values, data)]
  if (!data || all.length > 0) {
    throw new SettingsError(...new Set(all.map((problem) => `setting ${problem}`)))
  }
  parsed.set(environment, data)
  return data
}

/** U+FFFD stands for bytes that are not UTF-8. */
const spoiltTexts = (values: Record<string, unknown>): string[] =>
  Object.keys(settingsSchema.shape)
    .filter((name) => JSON.stringify(values[name])?.includes('\uFFFD'))
    .map((name) => `${name}: has lost letters (U+FFFD); save the file as UTF-8`)

const unsentEmails = ({ EMAIL }: Record<string, unknown>, settings?: Settings) =>
  settings?.REQUIRE_EMAIL_VERIFICATION && EMAIL === undefined
    ? ['REQUIRE_EMAIL_VERIFICATION: needs [[send_email]], which binds EMAIL']
    : []
