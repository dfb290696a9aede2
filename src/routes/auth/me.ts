import { Hono } from 'hono'
import type { AppEnv } from '#http/app-env.ts'
import { toUser } from '#http/authentication/login-response.ts'
import { requireLoginUser } from '#http/authentication/reauthentication.ts'
import { reply } from '#routes/reply.ts'

/** The user of the token. */
export const me = new Hono<AppEnv>().get('/me', requireLoginUser, async (c) => {
  const user = c.get('user')
  const has_second_factor = user.second_factor_enabled_at !== null

  return reply<'GET /v1/auth/me'>(c, {
    data: {
      ...toUser(user),
      ...(user.role.slug === 'administrator' && { has_second_factor }),
    },
  })
})
