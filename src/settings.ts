import * as z from 'zod/mini'
import { coverTextsSchema } from './domain/cover-texts.ts'
import { EMAIL } from './domain/informer.ts'

const MIN_SECRET_BYTES = 32
const MAX_TTL_SECONDS = 31_536_000
const SECRET_MESSAGE = `must have at least ${MIN_SECRET_BYTES} bytes`
const TTL_MESSAGE = `must be a whole number of seconds, 1 to ${MAX_TTL_SECONDS}`
const FLAG_MESSAGE = 'must be true or false'
const REPOSITORY_MESSAGE = 'must have the form owner/name'
const ORIGINS_MESSAGE = 'must list origins, as https://painel.example.org, separated by commas'
const SENDER_MESSAGE = 'must be an email address, or a name with one: Chancelaria <nao-responda@example.org>'
const PUBLIC_URL_MESSAGE = 'must be the address of the service without a path, as https://api.example.org'
const URL_MESSAGE = 'must be an http or https address'

const secret = z
  .string(SECRET_MESSAGE)
  .check(z.refine((text) => new TextEncoder().encode(text).length >= MIN_SECRET_BYTES, SECRET_MESSAGE))

const seconds = z.coerce
  .number(TTL_MESSAGE)
  .check(z.int(TTL_MESSAGE), z.minimum(1, TTL_MESSAGE), z.maximum(MAX_TTL_SECONDS, TTL_MESSAGE))

const flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false'])], FLAG_MESSAGE),
  z.transform((value) => String(value) === 'true'),
)

const origins = z.pipe(
  z.pipe(
    z.string(ORIGINS_MESSAGE),
    z.transform((text) => text.split(',').map((item) => item.trim())),
  ),
  z.array(z.string().check(z.refine(isOrigin, ORIGINS_MESSAGE))),
)

const httpUrl = z
  .string(URL_MESSAGE)
  .check(z.refine((text) => /^https?:/.test(text) && URL.canParse(text), URL_MESSAGE))

const withoutSlashes = z.overwrite((text: string) => text.replace(/\/+$/, ''))

/** An address, alone or behind a name, as `EMAIL.send` takes it. */
const sender = z.pipe(
  z.string(SENDER_MESSAGE),
  z.transform((text, context) => {
    const [, name, address = text] = /^\s*"?([^"<>\p{Cc}]+?)"?\s*<([^<>]+)>\s*$/u.exec(text) ?? []
    const email = address.trim().toLowerCase()
    if (EMAIL.test(email)) return name === undefined ? email : { name, email }
    context.issues.push({ code: 'custom', message: SENDER_MESSAGE, input: undefined })
    return z.NEVER
  }),
)

/** An object from wrangler.toml, or JSON text from .dev.vars or the shell. */
const json = z.transform((value, context) => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    context.issues.push({ code: 'custom', message: 'must be JSON', input: undefined })
    return z.NEVER
  }
})

/** All settings, by environment variable. */
export const settingsSchema = z.object({
  JWT_SECRET: secret,
  JWT_SECRET_PREVIOUS: z.optional(secret),
  JWT_TTL_SECONDS: z._default(seconds, 3600),
  CORS_ORIGINS: z._default(origins, []),
  REQUIRE_EMAIL_VERIFICATION: z._default(flag, false),
  EMAIL_FROM: z.optional(sender),
  PUBLIC_URL: z.optional(
    z.string(PUBLIC_URL_MESSAGE).check(withoutSlashes, z.refine(isOrigin, PUBLIC_URL_MESSAGE)),
  ),
  EMAIL_VERIFICATION_URL: z.optional(httpUrl),
  PASSWORD_RESET_URL: z.optional(httpUrl),
  COVER_TEXTS: z.pipe(json, coverTextsSchema),
  GIT_REPOSITORY: z.optional(
    z.string(REPOSITORY_MESSAGE).check(z.regex(/^[\w.-]+\/[\w.-]+$/, REPOSITORY_MESSAGE)),
  ),
  GIT_BRANCH: z.optional(z.string()),
  GIT_API_URL: z._default(httpUrl.check(withoutSlashes), 'https://api.github.com'),
  GIT_TOKEN: z.optional(z.string()),
})

export type Settings = z.infer<typeof settingsSchema>

/** Missing or invalid settings. The message names them and never holds a value. */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(...problems: string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

const parsed = new WeakMap<object, Settings>()

/**
 * Parses an environment once. An empty string means unset.
 *
 * @throws {SettingsError} naming every missing or invalid setting
 */
export function parseSettings(environment: object): Settings {
  const cached = parsed.get(environment)
  if (cached) return cached
  const values = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const result = settingsSchema.safeParse(values)
  if (!result.success) {
    throw new SettingsError(
      ...result.error.issues.map(({ path, message }) => `setting ${String(path[0])}: ${message}`),
    )
  }
  parsed.set(environment, result.data)
  return result.data
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}
