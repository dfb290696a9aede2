import type { Context } from 'hono'
import { gunzip } from '#gunzip.ts'

const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/

/** Responds with gzipped bytes; clients without gzip get them decompressed. */
export function gzippedResponse(
  c: Pick<Context, 'req'>,
  body: ArrayBuffer,
  ownHeaders: Record<string, string>,
): Response {
  const headers = { ...ownHeaders, Vary: 'Accept-Encoding' }
  if (ACCEPTS_GZIP.test(c.req.header('Accept-Encoding') ?? '')) {
    return new Response(body, {
      encodeBody: 'manual',
      headers: { ...headers, 'Content-Encoding': 'gzip' },
    })
  }
  return new Response(gunzip(body), { headers })
}
