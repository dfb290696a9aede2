import type { HonoRequest } from 'hono'
import { expandIPv6 } from 'hono/utils/ipaddr'
import { keyedHash, keyedHashes } from '#security/hashes.ts'
import type { Settings } from '#settings.ts'

const addressOf = (request: HonoRequest) => request.header('CF-Connecting-IP') ?? 'local'

/**
 * The hashes of the client's network: an IPv4 address, or an IPv6 /64, the smallest that a customer
 * gets (RFC 6177).
 */
export function networkHashes(
  settings: Settings,
  request: HonoRequest,
): [string, ...string[]] {
  const address = addressOf(request)
  return keyedHashes(settings, 'network', ipv6Network(address, 64) ?? address)
}

/**
 * The hash of the client's /48, the largest network that a customer usually gets (RFC 6177); null
 * for IPv4.
 */
export function siteHash({ JWT_SECRET }: Settings, request: HonoRequest): string | null {
  const site = ipv6Network(addressOf(request), 48)
  return site && keyedHash(JWT_SECRET, 'site', site)
}

/** Returns the network of an IPv6 address; null for anything else. */
export function ipv6Network(address: string, bits: 48 | 64): string | null {
  const isIpv6 = /^[\da-f.:]+$/i.test(address) && URL.canParse(`http://[${address}]/`)
  if (!isIpv6) return null // Hono expands anything, and throws

  const groups = expandIPv6(address.toLowerCase()).split(':')
  return groups.slice(0, bits / 16).join(':')
}
