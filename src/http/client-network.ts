import type { HonoRequest } from 'hono'

/**
 * The client's network, for rate limits: a single IPv4 address, or the /64 of an IPv6 address, the smallest network
 * that a customer gets (RFC 6177), in canonical form.
 */
export const clientNetwork = (request: HonoRequest) => networkOf(addressOf(request))

/** The client's /48, the largest network that a customer usually gets (RFC 6177); null for IPv4. */
export const clientSite = (request: HonoRequest) => siteOf(addressOf(request))

const addressOf = (request: HonoRequest) => request.header('CF-Connecting-IP') ?? 'local'

export function networkOf(address: string): string {
  const groups = ipv6Groups(address)
  if (!groups) return address
  if (!isMappedIpv4(groups)) return `${groups.slice(0, 4).join(':')}::/64`
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.')
}

export function siteOf(address: string): string | null {
  const groups = ipv6Groups(address)
  return groups && !isMappedIpv4(groups) ? `${groups.slice(0, 3).join(':')}::/48` : null
}

const isMappedIpv4 = (groups: string[]) => groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'

/** The eight groups of an IPv6 address in canonical form (RFC 5952), or null. */
function ipv6Groups(address: string): string[] | null {
  const url = `http://[${address}]/`
  if (!/^[\da-f.:]+$/i.test(address) || !URL.canParse(url)) return null
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail?.split(':').filter(Boolean) ?? []
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
