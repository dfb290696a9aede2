import { Hono } from 'hono'
import * as z from 'zod/mini'
import {
  clearFailures,
  findLogin,
  type Identifier,
  recordFailure,
  updatePasswordHash,
} from '../database/logins.ts'
import { crossField, optional } from '../domain/fields.ts'
import { PASSWORD_REQUIRED } from '../domain/informer.ts'
import { fullName } from '../domain/names.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errors } from '../http/errors.ts'
import { jsonBody } from '../http/middleware/json-body.ts'
import { validBody } from '../http/middleware/validation.ts'
import { limitLoginRate } from '../http/rate-limits.ts'
import { keyedHash } from '../security/keyed-hash.ts'
import { hashPassword, verifyPassword } from '../security/passwords.ts'
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

export const loginBody = z
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
    crossField(
      ['email', 'cpf'],
      ({ email, cpf }) => Boolean(email) || Boolean(cpf),
      'Informe o email ou o CPF.',
      'email',
    ),
    z.meta({ anyOf: [given('email'), given('cpf')] }),
  )

/** Logging in (contract, section 2). */
export const auth = new Hono<AppEnv>().post('/login', jsonBody(), validBody(loginBody), async (c) => {
  const { email, cpf, password } = c.req.valid('json')
  const settings = c.get('settings')
  const db = c.get('db')
  const identifier: Identifier = email ? { email } : { cpf: cpf ?? '' }
  const key = keyedHash(email || cpf || '', settings)
  const address = await limitLoginRate(c, key)

  const { user, failures, seconds } = await findLogin(db, identifier, key)
  if (failures >= MAX_FAILURES) throw errors.tooManyRequests(seconds)
  const { matches, needsRehash } = await verifyPassword(password, user?.password_hash ?? null)
  if (!user || !matches) {
    await recordFailure(db, { id: crypto.randomUUID(), identifier: key, address })
    throw errors.invalidCredentials()
  }
  if (user.email_verification_required && !user.email_verified_at) throw errors.emailNotVerified()
  if (failures > 0) await clearFailures(db, key)
  if (needsRehash) await updatePasswordHash(db, user.id, await hashPassword(password))

  const { id, first_name, last_name, role } = user
  return c.json({
    success: true,
    data: {
      access_token: await issueToken({ id, role: role.slug, tokenVersion: user.token_version }, settings),
      token_type: 'Bearer',
      expires_in: settings.JWT_TTL_SECONDS,
      user: { id, first_name, last_name, full_name: fullName(user), email: user.email, role },
    },
  })
})
