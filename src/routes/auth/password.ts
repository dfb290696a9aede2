import { Hono } from 'hono'
import type * as z from 'zod/mini'
import { changePasswordBody } from './schemas.ts'
import { guessablePasswordErrors } from '#accounts/chosen-passwords.ts'
import { takeBackLater, trustAddressLater } from '#accounts/login-attempts.ts'
import {
  identifierOf,
  isCurrentPassword,
  type LoginUserEnv,
  requireLoginUser,
  nextAccessToken,
  WRONG_PASSWORD,
} from '#accounts/reauthentication.ts'
import { changeOwnPassword } from '#database/accounts/passwords.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf } from '#http/guards.ts'
import type { BodyCheck } from '#http/request/refusals.ts'
import { jsonBody, validBody } from '#http/request/validation.ts'
import type { FieldErrors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#http/response/reply.ts'
import { hashPassword } from '#security/passwords.ts'
import { secondsNow } from '#security/tokens.ts'

/**
 * A wrong password counts as a failed login. Nothing is disclosed while the caller is locked out,
 * or if the session ended while the body arrived. The new password must not be easy to guess.
 */
const checkPasswords: BodyCheck<
  z.output<typeof changePasswordBody>,
  LoginUserEnv
> = async ({ current_password, password }, c): Promise<FieldErrors> => {
  const found = await guessablePasswordErrors(password, c.get('user'))
  if (current_password === undefined) return found

  if (!(await isCurrentPassword(c, current_password))) {
    return { ...found, ...WRONG_PASSWORD }
  }
  // a 422 on the new one discloses that this one is right; a success deletes the attempt itself
  if (password === undefined || found.password) takeBackLater(c, c.get('attempt'))
  return found
}

/** Changing one's own password. */
export const password = new Hono<AppEnv>().put(
  '/password',
  requireLoginUser,
  jsonBody(),
  validBody(changePasswordBody, checkPasswords),
  async (c) => {
    const { db, user, attempt } = c.var
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
