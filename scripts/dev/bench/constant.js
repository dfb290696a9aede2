/** The limit of the runtime: a Worker that shares nothing with the service and returns a constant body. */
const BODY = JSON.stringify({ data: 'x'.repeat(3_000) }) // as long as a page of twelve categories

export default {
  fetch: () => new Response(BODY, { headers: { 'Content-Type': 'application/json' } }),
}
