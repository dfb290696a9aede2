import { createApp } from './app.ts'
import { emailLinks } from '#routes/auth/email-links.ts'
import { me } from '#routes/auth/me.ts'
import { password } from '#routes/auth/password.ts'
import { secondFactor } from '#routes/auth/second-factor.ts'
import { login } from '#routes/auth/sessions.ts'
import { cover } from '#routes/cover.ts'

/** What users do for themselves. */
export const userApp = createApp()

userApp.route('/v1/auth', login)
userApp.route('/v1/auth', me)
userApp.route('/v1/auth', password)
userApp.route('/v1/auth', secondFactor)
userApp.route('/v1/auth', emailLinks)
userApp.route('/v1/cover', cover)
