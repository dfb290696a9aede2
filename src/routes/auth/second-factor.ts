import { Hono } from 'hono'
import {
  disableSecondFactorBody,
  enableSecondFactorBody,
  newSecondFactorBody,
} from './schemas.ts'
import {
  disableOwnSecondFactor,
  enableSecondFactor,
  storeWaitingSecret,
} from '#database/accounts/second-factors.ts'
import { secondsNow } from '#domain/timestamps.ts'
import type { AppEnv } from '#http/app-env.ts'
import { takeBackLater } from '#http/authentication/counted-attempts.ts'
import { limitHashing } from '#http/authentication/hashing-limit.ts'
import {
  beginReauthentication,
  INVALID_CODE,
  nextAccessToken,
  refuseCode,
  requireLoginAdmin,
  requireLoginUser,
  verifyOwnCode,
  verifyOwnPassword,
} from '#http/authentication/reauthentication.ts'
import { actorOf, administratorsOnly } from '#http/guards.ts'
import { jsonBody, validBody } from '#http/request/validation.ts'
import { errors, ValidationError } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'
import { findCodeStep, newSecondFactor } from '#security/totp-secrets.ts'
import { base32, otpauthUri } from '#security/totp.ts'
import { officeName } from '#settings.ts'

/** The service's name in authenticator apps, if the office has none. */
const DEFAULT_ISSUER = 'Informantes'

/** The second factor of one's own logins: requesting a secret, enabling and disabling it. */
export const secondFactor = new Hono<AppEnv>()
  .post(
    '/second-factor',
    requireLoginUser,
    administratorsOnly,
    jsonBody(),
    limitHashing,
    validBody(newSecondFactorBody),
    async (c) => {
      const { current_password } = c.req.valid('json')
      takeBackLater(c, await verifyOwnPassword(c, current_password))

      const { db, user, settings } = c.var
      const { secret, sealed } = await newSecondFactor(user.id, settings)
      const isStored = await storeWaitingSecret(db, sealed, actorOf(c))
      if (!isStored) throw errors.secondFactorEnabled()

      // in a label a colon ends the issuer, in some apps also an encoded one
      const issuer = officeName(settings)?.replaceAll(':', '').trim() || DEFAULT_ISSUER
      return reply<'POST /v1/auth/second-factor'>(c, {
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
    validBody(enableSecondFactorBody),
    async (c) => {
      const { code } = c.req.valid('json')
      const attempt = await beginReauthentication(c)

      const { db, user, settings } = c.var
      const isWaiting = user.second_factor_enabled_at === null
      const step = isWaiting ? await findCodeStep(code, user, settings) : null
      const isEnabled =
        step !== null && (await enableSecondFactor(db, user, step, actorOf(c)))
      if (!isEnabled) throw new ValidationError(INVALID_CODE)
      takeBackLater(c, attempt)

      return reply<'PUT /v1/auth/second-factor'>(c, {
        data: await nextAccessToken(c, c.get('caller').authTime), // it took no password
        message: messages.secondFactorEnabled,
      })
    },
  )
  .delete(
    '/second-factor',
    requireLoginAdmin,
    jsonBody(),
    limitHashing,
    validBody(disableSecondFactorBody),
    async (c) => {
      const { current_password, code } = c.req.valid('json')
      const attempt = await verifyOwnPassword(c, current_password)
      if (c.get('user').second_factor_enabled_at === null) {
        takeBackLater(c, attempt)
        throw errors.secondFactorDisabled()
      }
      const step = await verifyOwnCode(c, code, attempt)

      const isDisabled = await disableOwnSecondFactor(c.get('db'), step, actorOf(c))
      if (!isDisabled) return refuseCode(c, attempt)
      takeBackLater(c, attempt)

      return reply<'DELETE /v1/auth/second-factor'>(c, {
        data: await nextAccessToken(c, secondsNow()),
        message: messages.secondFactorDisabled,
      })
    },
  )
