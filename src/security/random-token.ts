const RANDOM_BYTES = 32

/** Returns a random token in base64url. */
export const randomToken = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString('base64url')
