import * as z from 'zod/mini'
import { printable } from '../../lib/command-line.ts'
import { texts } from '../../lib/language.ts'

/** What every response of the service has, as far as commands look at it. */
export const envelopeSchema = z.object({
  success: z.optional(z.boolean()),
  data: z.optional(z.unknown()),
  message: z.optional(z.string()),
  errors: z.optional(z.record(z.string(), z.array(z.string()))),
  pagination: z.optional(z.object({ has_more_pages: z.boolean() })),
})
export type Envelope = z.infer<typeof envelopeSchema>

/** An error response of the service. */
export class ServiceError extends Error {
  readonly status: number
  /** The messages of a response, those of a 422 with their fields. */
  readonly reasons: string[]
  /** The status and the messages. */
  readonly problem: string

  /** @param hint what helps, after the messages */
  constructor(url: string, status: number, content: Envelope, hint?: string) {
    const reasons = reasonsOf(content)
    const text = reasons.join(' ')
    const problem = [status, content.message ? texts.quoted(text) : text, hint]
      .filter(Boolean)
      .join(' ')
    super(`${url}: ${problem}`)
    this.status = status
    this.reasons = reasons
    this.problem = problem
  }
}

/** Each on one line, whatever is in it. */
function reasonsOf({ message, errors = {} }: Envelope): string[] {
  const ofFields = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((text) => printable(`${field}: ${text}`)),
  )
  return ofFields.length > 0 ? ofFields : [printable(message ?? texts.notThisService)]
}

/** Whether a request was refused for what it says; other requests may succeed. */
export const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && [404, 409, 422].includes(error.status)

/** Whether the same request may succeed later. */
export const isTemporary = (status: number) => status === 429 || status >= 500

/** A run cannot go on, but may be repeated: what it has done stays done. */
export class InterruptedError extends Error {
  constructor(url: string, reason: string) {
    super(`${url}: ${reason}\n${texts.repeatable}`)
  }
}
