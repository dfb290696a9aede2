/** Maximum attempts of a call. */
export const MAX_ATTEMPTS = 6

/** The longest `Retry-After` that is worth waiting for. */
const MAX_WAIT_MS = 60_000
/** The longest pause before the second attempt; it doubles with each. */
const FIRST_PAUSE_MS = 200

/** Failures of `fetch` that another attempt cannot remedy. */
const IS_FINAL =
  /^(ENOTFOUND|ERR_(TLS|SSL)_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/

/** The system's descriptions are in English. */
const REASONS: [codes: RegExp, reason: string][] = [
  [/REFUSED/, 'a conexão foi recusada'],
  [/ENOTFOUND|EAI_AGAIN/, 'o endereço não foi encontrado'],
  [/time_?d?out/i, 'o serviço não respondeu a tempo'],
  [/CERT|TLS|SSL|SIGN/, 'a conexão segura falhou'],
]

/** A connection that failed or broke off: the request may or may not have arrived. */
export class ConnectionError extends Error {
  readonly isRetryable: boolean

  /** @param failure the rejection of `fetch`, whose cause says more than its message */
  constructor(failure: unknown) {
    const { name, cause } = failure as Error
    const { code = name } = (cause ?? {}) as NodeJS.ErrnoException
    const [, reason = 'a conexão caiu'] =
      REASONS.find(([codes]) => codes.test(code)) ?? []
    super(`${reason} (${code})`)
    this.isRetryable = !IS_FINAL.test(code)
  }
}

/**
 * Returns the pause after an attempt, with jitter, so that simultaneous calls do not retry
 * simultaneously.
 */
export function pauseAfter(attempt: number): number {
  return Math.random() * FIRST_PAUSE_MS * 2 ** attempt
}

/** Returns whether a requested pause is too long to wait. */
export const isTooLong = (pause: number) => pause > MAX_WAIT_MS

/** Returns the milliseconds of a `Retry-After` in seconds, the form that the service uses. */
export function parseRetryAfter(value: string | null): number | undefined {
  return /^\d+$/.test(value ?? '') ? Number(value) * 1000 : undefined
}
