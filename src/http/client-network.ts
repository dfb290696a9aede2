import type { HonoRequest } from 'hono'

/**
 * The client's network, for rate limits: a single IPv4 address, or the /64 of an IPv6 address, which one customer
 * gets (RFC 6177), in canonical form.
 */
export function clientNetwork(request: HonoRequest): string {
  return networkOf(request.header('CF-Connecting-IP') ?? 'local')
}

export function networkOf(address: string): string {
  const groups = ipv6Groups(address)
  if (!groups) return address
  const isMappedIpv4 = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  if (!isMappedIpv4) return `${groups.slice(0, 4).join(':')}::/64`
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.')
}

/** The eight groups of an IPv6 address in canonical form (RFC 5952), or null. */
function ipv6Groups(address: string): string[] | null {
  const url = `http://[${address}]/`
  if (!/^[\da-f.:]+$/i.test(address) || !URL.canParse(url)) return null
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail?.split(':').filter(Boolean) ?? []
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
