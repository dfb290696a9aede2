/** The limit of the runtime: a Worker without bindings or configuration that returns a constant JSON body. */
export default {
  fetch: () => new Response(BODY, { headers: { 'Content-Type': 'application/json' } }),
}

/** As long as a page of twelve categories. */
const BODY = JSON.stringify({ success: true, data: 'x'.repeat(3_000) })
