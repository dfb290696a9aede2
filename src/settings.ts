import * as z from 'zod/mini'
import { coverTextsSchema } from './domain/cover-texts.ts'
import { email } from './domain/informer.ts'

const MIN_SECRET_BYTES = 32
const MAX_TTL_SECONDS = 31_536_000
const SECRET = `must have at least ${MIN_SECRET_BYTES} bytes`
const TTL = `must be a whole number of seconds, 1 to ${MAX_TTL_SECONDS}`
const FLAG = 'must be true or false'
const REPOSITORY = 'must have the form owner/name'
const ORIGINS = 'must list origins, as https://painel.example.org, separated by commas'
const SENDER = 'must be an email address'
const ADDRESS = 'must be an http or https address'

const secret = z
  .string(SECRET)
  .check(z.refine((text) => new TextEncoder().encode(text).length >= MIN_SECRET_BYTES, SECRET))

const seconds = z.coerce.number(TTL).check(z.int(TTL), z.minimum(1, TTL), z.maximum(MAX_TTL_SECONDS, TTL))

const flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false'])], FLAG),
  z.transform((value) => String(value) === 'true'),
)

const origins = z.pipe(
  z.pipe(
    z.string(ORIGINS),
    z.transform((text) => text.split(',').map((item) => item.trim())),
  ),
  z.array(z.string().check(z.refine(isOrigin, ORIGINS))),
)

const address = z.pipe(
  z.string(ADDRESS).check(z.refine((text) => /^https?:/.test(text) && URL.canParse(text), ADDRESS)),
  z.transform((text) => text.replace(/\/+$/, '')),
)

/** An email by the rules of an informer's, with an English message as the other settings have. */
const sender = z.pipe(
  z.string(SENDER).check(z.refine((text) => email.safeParse(text).success, SENDER)),
  email,
)

/** An object where wrangler.toml binds it, a text from .dev.vars or the shell. */
const json = z.transform((value, context) => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    context.issues.push({ code: 'custom', message: 'must be JSON', input: undefined })
    return z.NEVER
  }
})

/** Every setting of the service, by the name it has in the environment. */
export const settingsSchema = z.object({
  JWT_SECRET: secret,
  JWT_SECRET_PREVIOUS: z.optional(secret),
  JWT_TTL_SECONDS: z._default(seconds, 3600),
  CORS_ORIGINS: z._default(origins, []),
  REQUIRE_EMAIL_VERIFICATION: z._default(flag, false),
  EMAIL_FROM: z.optional(sender),
  EMAIL_VERIFICATION_URL: z.optional(address),
  PASSWORD_RESET_URL: z.optional(address),
  COVER_TEXTS: z.pipe(json, coverTextsSchema),
  GIT_REPOSITORY: z.optional(z.string(REPOSITORY).check(z.regex(/^([\w.-]+\/[\w.-]+)?$/, REPOSITORY))),
  GIT_BRANCH: z.optional(z.string()),
  GIT_API_URL: z._default(address, 'https://api.github.com'),
  GIT_TOKEN: z.optional(z.string()),
})

export type Settings = z.infer<typeof settingsSchema>

/** A setting that is missing or wrong. The message names it and never holds its value. */
export class SettingsError extends Error {}

const checked = new WeakMap<object, Settings>()

/**
 * The settings of an environment, checked when first read. An empty one counts as not set.
 *
 * @throws {SettingsError} naming every setting that is missing or wrong
 */
export function parseSettings(environment: object): Settings {
  const known = checked.get(environment)
  if (known) return known
  const sent = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const result = settingsSchema.safeParse(sent)
  if (!result.success) {
    throw new SettingsError(
      result.error.issues.map(({ path, message }) => `setting ${String(path[0])}: ${message}`).join('; '),
    )
  }
  checked.set(environment, result.data)
  return result.data
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}
