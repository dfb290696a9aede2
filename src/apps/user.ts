import { createApp } from './app.ts'
import { emailLinks } from '#routes/auth/email-links.ts'
import { me } from '#routes/auth/me.ts'
import { password } from '#routes/auth/password.ts'
import { secondFactor } from '#routes/auth/second-factor.ts'
import { login } from '#routes/auth/sessions.ts'
import { cover } from '#routes/cover.ts'

/** What users do for themselves. */
export const userApp = createApp()
  .route('/v1/auth', login)
  .route('/v1/auth', me)
  .route('/v1/auth', password)
  .route('/v1/auth', secondFactor)
  .route('/v1/auth', emailLinks)
  .route('/v1/cover', cover)
