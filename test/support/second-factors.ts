import { generateHOTP } from '@oslojs/otp'
import { env } from 'cloudflare:workers'
import { onTestFinished, vi } from 'vitest'
import { newLogin, tokenOfNew } from './helper.ts'
import { newSecondFactor } from '#security/totp-secrets.ts'
import { parseSettings } from '#settings.ts'

const STEP_MS = 30_000

export const currentStep = () => Math.floor(Date.now() / STEP_MS)

/** What an authenticator app shows, by default now. */
export const codeOf = (secret: Uint8Array, step = currentStep()) =>
  generateHOTP(secret, BigInt(step), 6)

/** A code of no step near now. */
export function wrongCodeOf(secret: Uint8Array): string {
  const right = [-1, 0, 1].map((offset) => codeOf(secret, currentStep() + offset))
  return (
    ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? ''
  )
}

/** Stops the clock until the test ends, so that no step begins between a code and its check. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: currentStep() * STEP_MS + 1000 })
  onTestFinished(() => void vi.useRealTimers())
}

/** Lets the next codes be those of a later step. */
export const passSteps = (steps: number) => vi.setSystemTime(Date.now() + steps * STEP_MS)

/** A new administrator who has a second factor, or one that waits for its first code. */
export async function newFactorOwner({ isWaiting = false } = {}) {
  const user = await newLogin({ role: 'administrator' })
  const { secret, sealed } = await newSecondFactor(user.id, parseSettings(env))
  await env.DB.prepare(
    `update users set second_factor_secret = ?, second_factor_enabled_at = ?,
     second_factor_created_at = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now') where id = ?`,
  )
    .bind(sealed, isWaiting ? null : '2026-01-01T00:00:00.000000Z', user.id)
    .run()
  return { ...user, secret, sealed, token: await tokenOfNew(user) }
}
