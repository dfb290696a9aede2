import { texts } from '../../lib/language.ts'

/** How often a call is tried. */
export const MAX_ATTEMPTS = 6

/** The longest pause that a service may ask for. */
const MAX_WAIT_MS = 60_000
/** The longest pause before the second attempt; it doubles with each. */
const FIRST_PAUSE_MS = 200

/** What `fetch` fails with where another attempt cannot help. */
const IS_FINAL =
  /^(ENOTFOUND|ERR_(TLS|SSL)_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/

/** A connection that failed or broke off, so that nobody knows whether the request arrived. */
export class ConnectionError extends Error {
  readonly isRetryable: boolean

  /** @param failure what `fetch` was rejected with; its cause tells more than its message */
  constructor(failure: unknown) {
    const { name, message, cause } = failure as Error
    const { message: reason, code } = (cause ?? {}) as NodeJS.ErrnoException
    super(texts.connectionFailed(code ?? name, reason || message))
    this.isRetryable = !IS_FINAL.test(code ?? '')
  }
}

/** The pause after an attempt, with jitter, so that calls which failed together return apart. */
export function pauseAfter(attempt: number): number {
  return Math.random() * FIRST_PAUSE_MS * 2 ** attempt
}

/** Whether a pause that a service asks for is worth waiting. */
export const isTooLong = (pause: number) => pause > MAX_WAIT_MS

/** The milliseconds that a `Retry-After` in seconds asks for, the form that the service uses. */
export function parseRetryAfter(value: string | null): number | undefined {
  return /^\d+$/.test(value ?? '') ? Number(value) * 1000 : undefined
}
