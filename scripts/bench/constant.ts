/** The limit of the runtime: a bare Worker that returns the bytes of the service's own answer. */
export default {
  fetch(_request: Request, { ANSWER }: { ANSWER: { body: string; headers: [string, string][] } }): Response {
    prepared ??= new Headers(ANSWER.headers)
    return new Response(ANSWER.body, { headers: prepared })
  },
}

let prepared: Headers | undefined
