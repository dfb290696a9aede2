import gzipped from '../../.wrangler/passwords/common.txt.gz.bin'

/**
 * The most common passwords (scripts/lib/common-passwords.ts), folded. Few requests choose a password,
 * so the list is unpacked for each, and not kept.
 */
export async function readCommonPasswords(): Promise<ReadonlySet<string>> {
  const lines = new Blob([gzipped]).stream().pipeThrough(new DecompressionStream('gzip'))
  const text = await new Response(lines).text()
  return new Set(text.split('\n'))
}
