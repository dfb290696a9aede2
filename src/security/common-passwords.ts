import gzipped from '../generated/passwords/common.txt.gz.bin'
import { gunzip } from '../gunzip.ts'

/**
 * The most common passwords (scripts/lib/common-passwords.ts), folded. Few requests choose a
 * password, so the list is unpacked for each, and not kept.
 */
export async function readCommonPasswords(): Promise<ReadonlySet<string>> {
  const text = await new Response(gunzip(gzipped)).text()
  return new Set(text.split('\n'))
}
