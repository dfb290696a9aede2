import * as z from 'zod/mini'
import { coverTextsSchema } from './domain/cover-texts.ts'

const MIN_SECRET_BYTES = 32
const MAX_TTL_SECONDS = 31_536_000
const SECRET = `must have at least ${MIN_SECRET_BYTES} bytes`
const TTL = `must be a whole number of seconds, 1 to ${MAX_TTL_SECONDS}`
const FLAG = 'must be true or false'

const secret = z
  .string(SECRET)
  .check(z.refine((text) => new TextEncoder().encode(text).length >= MIN_SECRET_BYTES, SECRET))

const seconds = z.coerce.number(TTL).check(z.int(TTL), z.minimum(1, TTL), z.maximum(MAX_TTL_SECONDS, TTL))

const flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false'])], FLAG),
  z.transform((value) => String(value) === 'true'),
)

const list = z.pipe(
  z.string('must be a list parted by commas'),
  z.transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  ),
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
  CORS_ORIGINS: z._default(list, []),
  REQUIRE_EMAIL_VERIFICATION: z._default(flag, false),
  COVER_TEXTS: z.pipe(json, coverTextsSchema),
})

export type Settings = z.infer<typeof settingsSchema>

/** A setting that is missing or wrong. The message names it and never holds its value. */
export class SettingsError extends Error {}

const checked = new WeakMap<object, Settings>()

/**
 * The settings of an environment, checked when first read.
 *
 * @throws {SettingsError} naming every setting that is missing or wrong
 */
export function settingsOf(environment: object): Settings {
  const known = checked.get(environment)
  if (known) return known
  const result = settingsSchema.safeParse(environment)
  if (!result.success) {
    throw new SettingsError(
      result.error.issues.map(({ path, message }) => `setting ${path.join('.')}: ${message}`).join('; '),
    )
  }
  checked.set(environment, result.data)
  return result.data
}
