/** What is read of one response. */
const MAX_BODY_BYTES = 20_000_000

/** A response was larger than anything that the service sends. */
export class BodyTooLargeError extends Error {}

/**
 * Reads the text of a response, counting what is unpacked.
 * @throws {BodyTooLargeError} as soon as it is larger than `MAX_BODY_BYTES`; the rest is not read
 */
export async function readBounded(response: Response): Promise<{
  text: string
  bytes: number
}> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0

  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BODY_BYTES) throw new BodyTooLargeError()
    text += decoder.decode(chunk, { stream: true })
  }
  return { text: text + decoder.decode(), bytes }
}
