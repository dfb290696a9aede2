import { Hono } from 'hono'
import type * as z from 'zod/mini'
import { changePasswordBody } from './schemas.ts'
import { changeOwnPassword } from '#database/accounts/passwords.ts'
import { secondsNow } from '#domain/timestamps.ts'
import type { AppEnv } from '#http/app-env.ts'
import { guessablePasswordErrors } from '#http/authentication/chosen-passwords.ts'
import {
  takeBackLater,
  trustAddressLater,
} from '#http/authentication/counted-attempts.ts'
import { limitHashing } from '#http/authentication/hashing-limit.ts'
import {
  identifierOf,
  type LoginUserEnv,
  nextAccessToken,
  requireLoginUser,
  verifyOwnPassword,
} from '#http/authentication/reauthentication.ts'
import { actorOf } from '#http/guards.ts'
import type { BodyCheck } from '#http/request/body-checks.ts'
import { jsonBody, validBody } from '#http/request/validation.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'
import { hashPassword } from '#security/passwords.ts'

const findErrors: BodyCheck<z.output<typeof changePasswordBody>, LoginUserEnv> = (
  { password },
  c,
) => guessablePasswordErrors(password, c.get('user'))

/** Changing one's own password. */
export const password = new Hono<AppEnv>().put(
  '/password',
  requireLoginUser,
  jsonBody(),
  limitHashing,
  validBody(changePasswordBody, findErrors),
  async (c) => {
    const { current_password, password: chosen } = c.req.valid('json')
    const attempt = await verifyOwnPassword(c, current_password)

    const { db, user } = c.var
    await changeOwnPassword(db, user, await hashPassword(chosen), actorOf(c))
    if (user.second_factor_enabled_at) takeBackLater(c, attempt)
    else trustAddressLater(c, user, identifierOf(user)) // this also deletes the attempt

    return reply<'PUT /v1/auth/password'>(c, {
      data: await nextAccessToken(c, secondsNow()),
      message: messages.passwordChanged,
    })
  },
)
