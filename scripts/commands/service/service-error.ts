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
  /** The status and the messages. */
  readonly problem: string

  /**
   * @param content the body of the response
   * @param hint advice that follows the messages
   */
  constructor(url: string, status: number, content: unknown, hint?: string) {
    const reasons = reasonsOf(content)
    const problem = [status, ...reasons, hint].filter(Boolean).join(' ')
    super(`${url}: ${problem}`)
    this.status = status
    this.reasons = reasons
    this.problem = problem
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

/** Returns whether the same request may succeed later. */
export const isTemporary = (status: number) => status === 429 || status >= 500

/** A run cannot continue, but may be repeated: completed steps are kept. */
export class InterruptedError extends Error {
  constructor({ hasWritten }: { hasWritten?: boolean }, url: string, reason: string) {
    const advice = hasWritten
      ? ' O que já foi feito permanece, e o comando pode ser repetido sem risco.'
      : ''
    super(`${url}: ${reason.replace(/\.?$/, '.')}${advice}`)
  }
}

/** The system's descriptions are in English. */
const CONNECTION_PROBLEMS: [codes: RegExp, problem: string][] = [
  [/REFUSED/, 'a conexão foi recusada'],
  [/ENOTFOUND|EAI_AGAIN/, 'o endereço não foi encontrado'],
  [/time_?d?out/i, 'o serviço não respondeu a tempo'],
  [/CERT|TLS|SSL|SIGN/, 'a conexão segura falhou'],
]

/** Describes a lost connection by the code of its innermost cause. */
export function connectionProblem(error: Error): string {
  let innermost: NodeJS.ErrnoException = error
  while (innermost.cause instanceof Error) innermost = innermost.cause
  const code = innermost.code ?? innermost.name
  const [, problem = 'a conexão caiu'] =
    CONNECTION_PROBLEMS.find(([codes]) => codes.test(code)) ?? []
  return `${problem} (${code})`
}
