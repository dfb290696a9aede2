import { type Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import { changePasswordBody } from './schemas.ts'
import { guessablePasswordErrors } from '#accounts/chosen-passwords.ts'
import { takeBackLater, trustAddressLater } from '#accounts/counted-attempts.ts'
import { limitHashing } from '#accounts/hashing-limit.ts'
import {
  identifierOf,
  type LoginUserEnv,
  nextAccessToken,
  requireLoginUser,
  verifyOwnPassword,
  WRONG_PASSWORD,
} from '#accounts/reauthentication.ts'
import type { LoginAttempt } from '#database/accounts/login-users.ts'
import { changeOwnPassword } from '#database/accounts/passwords.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf } from '#http/guards.ts'
import { jsonBody, type Proof, provenBody } from '#http/request/validation.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'
import { hashPassword } from '#security/passwords.ts'
import { secondsNow } from '#security/session-lifetime.ts'

/**
 * Proves the current password: a wrong one counts as a failed login. Nothing is disclosed while the
 * caller is locked out, or if the session ended while the body arrived. The new password must not
 * be easy to guess.
 */
async function provePassword(
  { current_password, password }: Partial<z.output<typeof changePasswordBody>>,
  c: Context<LoginUserEnv>,
): Promise<Proof<LoginAttempt>> {
  const errors = await guessablePasswordErrors(password, c.get('user'))
  if (current_password === undefined) return { errors }

  const { attempt, matches } = await verifyOwnPassword(c, current_password)
  if (!matches) return { errors: { ...errors, ...WRONG_PASSWORD } }
  if (password !== undefined && !errors.password) return { proven: attempt }

  takeBackLater(c, attempt) // a 422 on the new one discloses that this one is right
  return { errors }
}

/** Changing one's own password. */
export const password = new Hono<AppEnv>().put(
  '/password',
  requireLoginUser,
  jsonBody(),
  limitHashing,
  provenBody(changePasswordBody, provePassword),
  async (c) => {
    const { db, user, proven: attempt } = c.var
    const passwordHash = await hashPassword(c.req.valid('json').password)
    await changeOwnPassword(db, user, passwordHash, actorOf(c))
    if (user.second_factor_enabled_at) takeBackLater(c, attempt)
    else trustAddressLater(c, user, identifierOf(user)) // this also deletes the attempt

    return reply(c, 'PUT /v1/auth/password', {
      data: await nextAccessToken(c, secondsNow()),
      message: messages.passwordChanged,
    })
  },
)
