import type { HonoRequest } from 'hono'
import { expandIPv6 } from 'hono/utils/ipaddr'
import { keyedHashes } from '#security/hashes.ts'
import type { Settings } from '#settings.ts'

/**
 * The hashes of the client's network: an IPv4 address, or an IPv6 /64, the smallest that a customer
 * gets (RFC 6177).
 */
export function networkHashes(
  settings: Settings,
  request: HonoRequest,
): [string, ...string[]] {
  const address = request.header('CF-Connecting-IP') ?? 'local'
  return keyedHashes(settings, 'network', ipv6Network(address) ?? address)
}

/** Returns the /64 of an IPv6 address; null for anything else. */
export function ipv6Network(address: string): string | null {
  const isIpv6 = /^[\da-f.:]+$/i.test(address) && URL.canParse(`http://[${address}]/`)
  if (!isIpv6) return null // Hono expands anything, and throws

  const groups = expandIPv6(address.toLowerCase()).split(':')
  return groups.slice(0, 4).join(':')
}
