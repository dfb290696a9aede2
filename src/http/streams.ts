/**
 * Reads the body of a request or response, but no further than a limit.
 *
 * @returns null where there is more
 */
export async function readUpTo(
  maxBytes: number,
  { headers, body }: Request | Response,
): Promise<Uint8Array | null> {
  if (Number(headers.get('Content-Length')) > maxBytes) return null
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
