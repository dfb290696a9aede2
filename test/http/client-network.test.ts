import { expect, it } from 'vitest'
import { ipv6Network } from '#http/authentication/client-network.ts'

it.each<[string, string | null]>([
  ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002'],
  ['2001:0DB8:0001:0002::1', '2001:0db8:0001:0002'],
  ['2001:db8:1:2::', '2001:0db8:0001:0002'],
  ['2001:db8:0:0:ffff::', '2001:0db8:0000:0000'],
  ['::1', '0000:0000:0000:0000'],
  ['64:ff9b::203.0.113.9', '0064:ff9b:0000:0000'],
  ['203.0.113.9', null],
  ['local', null],
  ['1:'.repeat(100), null],
  ['::1]/@[', null],
])('the network of %s is %s', (address, network) => {
  expect(ipv6Network(address)).toBe(network)
})
