import { open, openByEither, seal } from './sealed-secrets.ts'
import { findTotpStep, TOTP_SECRET_BYTES } from './totp.ts'
import type { Settings } from '#settings.ts'

// The second factor of a login: a secret shared by an authenticator app and the service. It is
// stored sealed, because whoever has it can generate codes.

type Secrets = Pick<Settings, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>

/** Creates a random secret for a user. */
export async function newSecondFactor(
  userId: string,
  { JWT_SECRET }: Secrets,
): Promise<{ secret: Uint8Array; sealed: string }> {
  const secret = crypto.getRandomValues(new Uint8Array(TOTP_SECRET_BYTES))
  return { secret, sealed: await seal(secret, JWT_SECRET, userId) }
}

/**
 * Returns the time step of a code that a user may use; null if the code is wrong, old or used, or
 * if there is no secret that can be opened.
 */
export async function findCodeStep(
  code: string,
  user: {
    id: string
    second_factor_secret: string | null
    second_factor_step: number | null
  },
  secrets: Secrets,
): Promise<number | null> {
  const { id, second_factor_secret: sealed, second_factor_step: lastStep } = user
  const secret = sealed === null ? null : await openByEither(sealed, secrets, id)
  return secret && findTotpStep(secret, code, lastStep)
}

/** Reseals a secret sealed with the previous key; null for any other. */
export async function resealed(
  { id, sealed }: { id: string; sealed: string },
  { JWT_SECRET, JWT_SECRET_PREVIOUS = '' }: Secrets,
): Promise<string | null> {
  const secret = await open(sealed, JWT_SECRET_PREVIOUS, id)
  return secret && seal(secret, JWT_SECRET, id)
}
