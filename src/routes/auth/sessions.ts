import { Hono } from 'hono'
import { loginBody } from './schemas.ts'
import { beginLogin } from '#database/accounts/failed-logins.ts'
import { hasCpf, hasEmail } from '#database/accounts/login-users.ts'
import { replacePasswordHash } from '#database/accounts/passwords.ts'
import { consumeCode } from '#database/accounts/second-factors.ts'
import { endOwnSessions } from '#database/accounts/sessions.ts'
import { secondsNow } from '#domain/timestamps.ts'
import { afterResponse } from '#http/after-response.ts'
import type { AppEnv } from '#http/app-env.ts'
import {
  countCode,
  loginAttempt,
  rememberLoginLater,
  takeBackLater,
} from '#http/authentication/counted-attempts.ts'
import { limitHashing } from '#http/authentication/hashing-limit.ts'
import { newAccessToken, toUser } from '#http/authentication/login-response.ts'
import { limitLoginRate } from '#http/authentication/rate-limits.ts'
import { requireLoginUser } from '#http/authentication/reauthentication.ts'
import { actorOf, assertSecondFactor, requireSession } from '#http/guards.ts'
import { jsonBody, validBody } from '#http/request/validation.ts'
import { errors } from '#http/response/errors.ts'
import { messages } from '#http/response/messages.ts'
import { reply } from '#routes/reply.ts'
import { sessionEnd } from '#security/jwt.ts'
import { hashPassword, verifyPassword } from '#security/passwords.ts'
import { findCodeStep } from '#security/totp-secrets.ts'

/** Logging in, renewing a token, telling whose it is, and logging out on every device. */
export const sessions = new Hono<AppEnv>()
  .post('/login', jsonBody(), limitHashing, validBody(loginBody), async (c) => {
    const { email, cpf, password, code } = c.req.valid('json')
    const { db, settings } = c.var
    const identifier = email || cpf || ''
    const attempt = loginAttempt(c, identifier)
    await limitLoginRate(c, 'login', attempt)

    const isUser = email ? hasEmail(email) : hasCpf(identifier)
    const { user, retryAfter } = await beginLogin(db, isUser, attempt)
    if (retryAfter !== null) throw errors.tooManyRequests(retryAfter)

    const { matches, needsRehash } = await verifyPassword(
      password,
      user?.password_hash ?? null,
    )
    if (!user || !matches) {
      if (code) await countCode(c, null, attempt)
      throw errors.invalidCredentials()
    }

    if (user.second_factor_enabled_at) {
      if (!code) {
        takeBackLater(c, attempt)
        throw errors.missingCode()
      }
      const step = await findCodeStep(code, user, settings)
      const isAccepted = step !== null && (await consumeCode(db, user.id, step))
      if (!isAccepted) {
        await countCode(c, user, attempt)
        throw errors.invalidCredentials()
      }
    }

    const mustVerifyEmail = user.email_verification_required && !user.email_verified_at
    if (user.email && mustVerifyEmail) {
      takeBackLater(c, attempt)
      throw errors.emailNotVerified()
    }
    rememberLoginLater(c, user, attempt) // this also deletes the attempt
    if (needsRehash) {
      const renew = async () =>
        replacePasswordHash(db, user, await hashPassword(password))
      afterResponse(c, renew, 'password hash not renewed')
    }
    return reply<'POST /v1/auth/login'>(c, {
      data: await newAccessToken(user, secondsNow(), settings),
    })
  })
  .post('/refresh', requireLoginUser, async (c) => {
    const { user, session, settings } = c.var
    const { authTime } = c.get('caller')
    if (authTime === undefined) throw errors.invalidToken()
    if (sessionEnd(authTime, settings) <= secondsNow()) throw errors.expiredToken()
    assertSecondFactor(settings, session)

    return reply<'POST /v1/auth/refresh'>(c, {
      data: await newAccessToken(user, authTime, settings),
    })
  })
  .get('/me', requireLoginUser, async (c) => {
    const user = c.get('user')
    const has_second_factor = user.second_factor_enabled_at !== null

    return reply<'GET /v1/auth/me'>(c, {
      data: {
        ...toUser(user),
        ...(user.role.slug === 'administrator' && { has_second_factor }),
      },
    })
  })
  .post('/logout', requireSession('login'), async (c) => {
    await endOwnSessions(c.get('db'), actorOf(c))

    return reply<'POST /v1/auth/logout'>(c, {
      message: messages.loggedOut,
    })
  })
