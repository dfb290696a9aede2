import { DEMO_PASSWORD } from '../../scripts/commands/provisioning/demo.ts'
import { nodeCrypto } from '#security/node-crypto.ts'
import { hashPassword } from '#security/passwords.ts'

const { scrypt } = nodeCrypto()

/**
 * Replaces the cost of scrypt by the lowest one, as Django and Rails advise for tests: hashing was
 * a fifth of the suite's time. Commands hash at full cost, `npm start` among them, and so does
 * `passwords.test.ts`.
 */
export function lowerPasswordCost(): void {
  nodeCrypto().scrypt = ((password, salt, bytes, options, done) =>
    scrypt(password, salt, bytes, { ...options, N: 2 }, done)) as typeof scrypt
}

export function restorePasswordCost(): void {
  nodeCrypto().scrypt = scrypt
}

lowerPasswordCost()

/** The hash of the password of all demo users. */
export const DEMO_PASSWORD_HASH = await hashPassword(DEMO_PASSWORD)
