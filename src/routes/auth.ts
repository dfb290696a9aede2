import { Hono } from 'hono'
import * as z from 'zod/mini'
import {
  findLogin,
  forgetFailures,
  type Identifier,
  recordFailure,
  renewPasswordHash,
} from '../database/logins.ts'
import { optional } from '../domain/fields.ts'
import { PASSWORD_REQUIRED } from '../domain/informer.ts'
import { fullName } from '../domain/names.ts'
import type { AppEnv } from '../http/app-env.ts'
import { jsonBody } from '../http/bodies.ts'
import { countLoginAttempt } from '../http/rate-limits.ts'
import { refusals } from '../http/refusals.ts'
import { validBody } from '../http/validation.ts'
import { hashPassword, verifyPassword } from '../security/passwords.ts'
import { pseudonym } from '../security/pseudonyms.ts'
import { issueToken } from '../security/tokens.ts'

/**
 * Failed logins that one identifier may have had of late. The limits by the minute count in one place of the
 * network each; this one counts in the database, for all of them together.
 */
const MAX_FAILURES = 50

const given = (field: 'email' | 'cpf') => ({
  type: 'object',
  properties: { [field]: { type: 'string', minLength: 1 } },
  required: [field],
})

export const credentials = z
  .object({
    email: optional(z.string('O campo email deve ser um texto.').check(z.trim(), z.toLowerCase())),
    cpf: optional(z.string('O campo CPF deve ser um texto.')),
    password: z
      .string({
        error: ({ input }) => (input == null ? PASSWORD_REQUIRED : 'O campo senha deve ser um texto.'),
      })
      .check(
        z.refine((password) => password !== '', PASSWORD_REQUIRED),
        z.meta({ minLength: 1 }),
      ),
  })
  .check(
    z.refine(({ email, cpf }) => Boolean(email) || Boolean(cpf), {
      path: ['email'],
      error: 'Informe o email ou o CPF.',
      when: () => true, // also beside other errors
    }),
    z.meta({ anyOf: [given('email'), given('cpf')] }),
  )

/** Logging in (contract, section 2). */
export const auth = new Hono<AppEnv>().post('/login', jsonBody(), validBody(credentials), async (c) => {
  const { email, cpf, password } = c.req.valid('json')
  const settings = c.get('settings')
  const db = c.get('db')
  const identifier: Identifier = email ? { email } : { cpf: cpf ?? '' }
  const key = pseudonym(email || cpf || '', settings)
  await countLoginAttempt(c, key)

  const { user, failures, seconds } = await findLogin(db, identifier, key)
  if (failures >= MAX_FAILURES) throw refusals.tooMany(seconds)
  const { matches, outdated } = await verifyPassword(password, user?.password_hash ?? null)
  if (!user || !matches) {
    await recordFailure(db, crypto.randomUUID(), key)
    throw refusals.credentials()
  }
  if (user.email_verification_required && !user.email_verified_at) throw refusals.emailUnverified()
  if (failures > 0) await forgetFailures(db, key)
  if (outdated) await renewPasswordHash(db, user.id, await hashPassword(password))

  const { id, first_name, last_name, role } = user
  return c.json({
    success: true,
    data: {
      access_token: await issueToken({ id, role: role.slug }, settings),
      token_type: 'Bearer',
      expires_in: settings.JWT_TTL_SECONDS,
      user: { id, first_name, last_name, full_name: fullName(user), email: user.email, role },
    },
  })
})
