import type { Context } from 'hono'

/** Responds with the gzipped bytes, or decompresses them for clients without gzip. */
export function gunzipped(c: Context, body: ArrayBuffer, own: Record<string, string>): Response {
  const headers = { ...own, Vary: 'Accept-Encoding' }
  if (/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(c.req.header('Accept-Encoding') ?? ''))
    return new Response(body, {
      encodeBody: 'manual',
      headers: { ...headers, 'Content-Encoding': 'gzip' },
    })
  return new Response(new Blob([body]).stream().pipeThrough(new DecompressionStream('gzip')), {
    headers,
  })
}
