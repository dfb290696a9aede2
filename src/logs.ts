/**
 * Writes one line of JSON. What is logged is chosen word by word: nothing that a client sent, and of an error
 * no message that could hold it.
 */
export function log(level: 'info' | 'warn' | 'error', fields: Record<string, unknown>): void {
  console[level](JSON.stringify({ level, ...fields }))
}

/** What may be logged of any error: its kind. */
export const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error)
