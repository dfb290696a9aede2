import { encodeBase32UpperCaseNoPadding } from '@oslojs/encoding'
import { verifyHOTP } from '@oslojs/otp'

// One-time codes by time (TOTP, RFC 6238) as every authenticator app makes them: SHA-1, six digits,
// steps of 30 seconds.

/** As long as a SHA-1 digest (RFC 4226, section 4, R6). */
export const TOTP_SECRET_BYTES = 20
const STEP_SECONDS = 30
const DIGITS = 6

/** One step to either side, for clocks that differ (RFC 6238, section 5.2); the newest first. */
const STEPS = [1, 0, -1]

/**
 * Returns the time step of a code; null if the code is not current, or its step is not after the
 * last used one.
 * @param code six digits, without spaces
 * @param now in milliseconds since 1970
 */
export function findTotpStep(
  secret: Uint8Array,
  code: string,
  lastStep: number | null,
  now = Date.now(),
): number | null {
  if (!/^[0-9]{6}$/.test(code)) return null
  const current = Math.floor(now / 1000 / STEP_SECONDS)
  const step = STEPS.map((offset) => current + offset).find((step) =>
    verifyHOTP(secret, BigInt(step), DIGITS, code),
  )
  return step !== undefined && step > (lastStep ?? -1) ? step : null
}

/**
 * Returns a secret as people type it and as its URI contains it: base32 (RFC 4648) without padding.
 */
export const base32 = (secret: Uint8Array): string =>
  encodeBase32UpperCaseNoPadding(secret)

/**
 * Returns the URI that an authenticator app reads from a QR code ("Key URI Format" of Google
 * Authenticator, whose defaults are the parameters of these codes).
 * @param issuer the service
 * @param account whose codes they are
 */
export function otpauthUri(issuer: string, account: string, secret: Uint8Array): string {
  const service = encodeURIComponent(issuer)
  const label = `${service}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${service}`
}
