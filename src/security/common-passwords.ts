import gzipped from '#generated/passwords/common.txt.gz.bin'
import { gunzip } from '#gunzip.ts'

/**
 * Reads the most common passwords (scripts/lib/common-passwords.ts), folded. Few requests set a
 * password, so the list is decompressed each time and not kept.
 */
export async function readCommonPasswords(): Promise<ReadonlySet<string>> {
  const text = await new Response(gunzip(gzipped)).text()
  return new Set(text.split('\n'))
}
