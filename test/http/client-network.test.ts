import { expect, it } from 'vitest'
import { ipv6Network } from '#accounts/client-network.ts'

it.each<[string, string | null, string | null]>([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64', '64:ff9b:0::/48'],
  ...[
    '203.0.113.9',
    'local',
    'fe80::1%eth0',
    '2001:db8:::1',
    '1:2:3:4:5:6:7:8:9',
    ']/@evil.example',
    '::1]/x',
    '@[::1',
    '',
  ].map((address): [string, null, null] => [address, null, null]),
])('the networks of %s are %s and %s', (address, network, site) => {
  expect([ipv6Network(address, 64), ipv6Network(address, 48)]).toEqual([network, site])
})
