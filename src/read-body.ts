/**
 * Reads a body up to a limit.
 *
 * @returns null if it is larger
 */
export async function readBody({ headers, body }: Request | Response, maxBytes: number): Promise<Uint8Array | null> {
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
