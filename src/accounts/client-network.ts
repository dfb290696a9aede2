import type { HonoRequest } from 'hono'
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

/** Returns the network of an IPv6 address in a canonical form; null for anything else. */
export function ipv6Network(address: string, bits: 48 | 64): string | null {
  const url = `http://[${address}]/`
  if (!/^[\da-f.:]+$/i.test(address) || !URL.canParse(url)) return null

  const canonical = new URL(url).hostname.slice(1, -1) // RFC 5952
  const [before = [], after = []] = canonical
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  const prefix = [...before, ...zeros, ...after].slice(0, bits / 16)
  return `${prefix.join(':')}::/${bits}`
}
