import * as z from 'zod/mini'
import { printable } from '../../lib/command-line.ts'

/** The messages of an error response. */
const refusal = z.object({
  message: z.optional(z.string()),
  errors: z.optional(z.record(z.string(), z.array(z.string()))),
})

/** What the client says of a response that the service would not send. */
export const NOT_THIS_SERVICE = 'não é uma resposta deste serviço'

/** An error response of the service. */
export class ServiceError extends Error {
  readonly status: number
  /** The messages of a response; those of a 422 with their fields. */
  readonly reasons: string[]

  /**
   * @param content the body of the response
   * @param advice follows the messages
   */
  constructor(url: string, status: number, content: unknown, advice: string) {
    const reasons = reasonsOf(content)
    const problem = `${url}: ${status} ${reasons.join(' ')}`
    super(advice ? `${problem.replace(/\.$/, '')}. ${advice}` : problem)
    this.status = status
    this.reasons = reasons
  }
}

/** Returns messages, each on one line. */
function reasonsOf(content: unknown): string[] {
  const { message = NOT_THIS_SERVICE, errors = {} } =
    refusal.safeParse(content).data ?? {}
  const ofFields = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((text) => printable(`${field}: ${text}`)),
  )
  return ofFields.length > 0 ? ofFields : [printable(message)]
}

/** Returns whether a request was refused for its content; other requests may succeed. */
export const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && [404, 409, 422].includes(error.status)

/** Describes a lost connection by the code of its innermost cause. */
export function connectionProblem(error: Error): string {
  let innermost: NodeJS.ErrnoException = error
  while (innermost.cause instanceof Error) innermost = innermost.cause
  return `a conexão falhou (${innermost.code ?? innermost.name})`
}
