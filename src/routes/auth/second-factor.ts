import { type Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import {
  disableSecondFactorBody,
  enableSecondFactorBody,
  newSecondFactorBody,
} from './schemas.ts'
import { countCode, takeBackLater } from '#accounts/counted-attempts.ts'
import { limitHashing } from '#accounts/hashing-limit.ts'
import {
  beginReauthentication,
  findOwnCodeStep,
  INVALID_CODE,
  type LoginUserEnv,
  nextAccessToken,
  requireLoginUser,
  verifyOwnPassword,
  WRONG_PASSWORD,
} from '#accounts/reauthentication.ts'
import type { LoginAttempt } from '#database/accounts/login-users.ts'
import {
  disableOwnSecondFactor,
  enableSecondFactor,
  storeWaitingSecret,
} from '#database/accounts/second-factors.ts'
import type { AppEnv } from '#http/app-env.ts'
import { actorOf, administratorsOnly, requireSecondFactor } from '#http/guards.ts'
import { jsonBody, type Proof, provenBody } from '#http/request/validation.ts'
import { errors, ValidationError } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'
import { secondsNow } from '#security/session-lifetime.ts'
import { findCodeStep, newSecondFactor } from '#security/totp-secrets.ts'
import { base32, otpauthUri } from '#security/totp.ts'
import { officeName } from '#settings.ts'

/** The service's name in authenticator apps, if the office has none. */
const DEFAULT_ISSUER = 'Informantes'

/** Proves the current password. A wrong one counts as a failed login. */
async function provePassword(
  { current_password }: Partial<z.output<typeof newSecondFactorBody>>,
  c: Context<LoginUserEnv>,
): Promise<Proof<LoginAttempt>> {
  if (current_password === undefined) return { errors: {} }

  const { attempt, matches } = await verifyOwnPassword(c, current_password)
  return matches ? { proven: attempt } : { errors: WRONG_PASSWORD }
}

/** Proves the first code of a waiting secret. A wrong one counts as a failed login. */
async function proveFirstCode(
  { code }: Partial<z.output<typeof enableSecondFactorBody>>,
  c: Context<LoginUserEnv>,
): Promise<Proof<{ attempt: LoginAttempt; step: number }>> {
  if (code === undefined) return { errors: {} }

  const attempt = await beginReauthentication(c)
  const { user, settings } = c.var
  const isWaiting = user.second_factor_enabled_at === null
  const step = isWaiting ? await findCodeStep(code, user, settings) : null
  return step === null ? { errors: INVALID_CODE } : { proven: { attempt, step } }
}

/**
 * Proves the password, then the code, whose time step is null without a second factor. The first
 * wrong one counts as a failed login.
 */
async function provePasswordAndCode(
  { current_password, code }: Partial<z.output<typeof disableSecondFactorBody>>,
  c: Context<LoginUserEnv>,
): Promise<Proof<{ attempt: LoginAttempt; step: number | null }>> {
  if (current_password === undefined) return { errors: {} }

  const { attempt, matches } = await verifyOwnPassword(c, current_password)
  if (!matches) return { errors: WRONG_PASSWORD }
  if (code === undefined) {
    takeBackLater(c, attempt) // a 422 on the code alone discloses that the password is right
    return { errors: {} }
  }
  const isDisabled = c.get('user').second_factor_enabled_at === null
  if (isDisabled) return { proven: { attempt, step: null } }

  const step = await findOwnCodeStep(c, code, attempt)
  return step === null ? { errors: INVALID_CODE } : { proven: { attempt, step } }
}

/** The second factor of one's own logins: requesting a secret, enabling and disabling it. */
export const secondFactor = new Hono<AppEnv>()
  .post(
    '/second-factor',
    requireLoginUser,
    administratorsOnly,
    jsonBody(),
    limitHashing,
    provenBody(newSecondFactorBody, provePassword),
    async (c) => {
      const { db, user, settings, proven: attempt } = c.var
      if (user.second_factor_enabled_at) {
        takeBackLater(c, attempt)
        throw errors.secondFactorEnabled()
      }
      const { secret, sealed } = await newSecondFactor(user.id, settings)
      const isStored = await storeWaitingSecret(db, sealed, actorOf(c))
      takeBackLater(c, attempt)
      if (!isStored) throw errors.secondFactorEnabled()

      // in a label a colon ends the issuer, in some apps also an encoded one
      const issuer = officeName(settings)?.replaceAll(':', '').trim() || DEFAULT_ISSUER
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
    provenBody(enableSecondFactorBody, proveFirstCode),
    async (c) => {
      const { db, user, proven } = c.var
      const { attempt, step } = proven
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
    limitHashing,
    provenBody(disableSecondFactorBody, provePasswordAndCode),
    async (c) => {
      const { db, user, proven } = c.var
      const { attempt, step } = proven
      if (step === null) {
        takeBackLater(c, attempt)
        throw errors.secondFactorDisabled()
      }

      const isDisabled = await disableOwnSecondFactor(db, step, actorOf(c))
      if (!isDisabled) {
        await countCode(c, user, attempt)
        throw new ValidationError(INVALID_CODE)
      }
      takeBackLater(c, attempt)

      return reply(c, 'DELETE /v1/auth/second-factor', {
        data: await nextAccessToken(c, secondsNow()),
        message: messages.secondFactorDisabled,
      })
    },
  )
