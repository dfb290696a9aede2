import { Hono } from 'hono'
import type * as z from 'zod/mini'
import {
  disableSecondFactorBody,
  enableSecondFactorBody,
  newSecondFactorBody,
} from './schemas.ts'
import { codeAttempt, takeBackLater } from '#accounts/login-attempts.ts'
import {
  beginReauthentication,
  checkCode,
  INVALID_CODE,
  isCurrentPassword,
  type LoginUserEnv,
  refuseCode,
  requireLoginUser,
  nextAccessToken,
  WRONG_PASSWORD,
} from '#accounts/reauthentication.ts'
import {
  disableOwnSecondFactor,
  enableSecondFactor,
  storeWaitingSecret,
} from '#database/accounts/second-factors.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf, administratorsOnly, requireSecondFactor } from '#http/guards.ts'
import type { BodyCheck } from '#http/request/refusals.ts'
import { jsonBody, validBody } from '#http/request/validation.ts'
import { errors, ValidationError } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#http/response/reply.ts'
import { findCodeStep, newSecondFactor } from '#security/second-factors.ts'
import { secondsNow } from '#security/tokens.ts'
import { base32, otpauthUri } from '#security/totp.ts'
import { officeName } from '#settings.ts'

/** The service's name in authenticator apps, if the office has none. */
const DEFAULT_ISSUER = 'Informantes'

const checkPassword: BodyCheck<
  z.output<typeof newSecondFactorBody>,
  LoginUserEnv
> = async ({ current_password }, c) => {
  if (current_password === undefined) return {}
  return (await isCurrentPassword(c, current_password)) ? {} : WRONG_PASSWORD
}

/** Checks the first code of a waiting secret. A wrong one counts as a failed login. */
const checkFirstCode: BodyCheck<
  z.output<typeof enableSecondFactorBody>,
  LoginUserEnv
> = async ({ code }, c) => {
  if (code === undefined) return {}

  await beginReauthentication(c)
  const { user, settings } = c.var
  const isWaiting = user.second_factor_enabled_at === null
  const step = isWaiting ? await findCodeStep(code, user, settings) : null
  if (step === null) return INVALID_CODE
  c.set('step', step)
  return {}
}

/** Checks the password, then the code. The first wrong one counts as a failed login. */
const checkPasswordAndCode: BodyCheck<
  z.output<typeof disableSecondFactorBody>,
  LoginUserEnv
> = async ({ current_password, code }, c) => {
  if (current_password === undefined) return {}

  if (!(await isCurrentPassword(c, current_password))) return WRONG_PASSWORD
  const { user, attempt } = c.var
  if (code === undefined) {
    takeBackLater(c, attempt) // a 422 on the code alone discloses that the password is right
    return {}
  }
  return user.second_factor_enabled_at === null ? {} : checkCode(c, code)
}

/** The second factor of one's own logins: requesting a secret, enabling and disabling it. */
export const secondFactor = new Hono<AppEnv>()
  .post(
    '/second-factor',
    requireLoginUser,
    administratorsOnly,
    jsonBody(),
    validBody(newSecondFactorBody, checkPassword),
    async (c) => {
      const { db, user, settings, attempt } = c.var
      if (user.second_factor_enabled_at) {
        takeBackLater(c, attempt)
        throw errors.secondFactorEnabled()
      }
      const { secret, sealed } = await newSecondFactor(user.id, settings)
      const isStored = await storeWaitingSecret(db, sealed, actorOf(c))
      takeBackLater(c, attempt)
      if (!isStored) throw errors.secondFactorEnabled()

      const issuer = officeName(settings) ?? DEFAULT_ISSUER
      return reply(c, 'POST /v1/auth/second-factor', {
        data: {
          secret: base32(secret),
          otpauth_uri: otpauthUri(issuer, user.email ?? user.id, secret),
        },
      })
    },
  )
  .put(
    '/second-factor',
    requireLoginUser,
    administratorsOnly,
    jsonBody(),
    validBody(enableSecondFactorBody, checkFirstCode),
    async (c) => {
      const { db, user, attempt, step } = c.var
      const isEnabled = await enableSecondFactor(db, user, step, actorOf(c))
      if (!isEnabled) throw new ValidationError(INVALID_CODE)
      takeBackLater(c, attempt)

      return reply(c, 'PUT /v1/auth/second-factor', {
        data: await nextAccessToken(c, c.get('caller').authTime), // it took no password
        message: messages.secondFactorEnabled,
      })
    },
  )
  .delete(
    '/second-factor',
    requireLoginUser,
    requireSecondFactor,
    administratorsOnly,
    jsonBody(),
    validBody(disableSecondFactorBody, checkPasswordAndCode),
    async (c) => {
      const { db, user, attempt, step } = c.var
      if (!user.second_factor_enabled_at) {
        takeBackLater(c, attempt)
        throw errors.secondFactorDisabled()
      }

      const sent = codeAttempt(c, user)
      const isDisabled = await disableOwnSecondFactor(db, sent, step, actorOf(c))
      if (!isDisabled) throw new ValidationError(await refuseCode(c))
      takeBackLater(c, attempt)

      return reply(c, 'DELETE /v1/auth/second-factor', {
        data: await nextAccessToken(c, secondsNow()),
        message: messages.secondFactorDisabled,
      })
    },
  )
