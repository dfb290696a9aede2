import { describe, expect, it } from 'vitest'
import { networkOf, siteOf } from '../../src/http/client-network.ts'

describe("a client's network", () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
    ['local', 'local'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['2001:db8:::1', '2001:db8:::1'],
    ['1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8:9'],
    [']/@evil.example', ']/@evil.example'],
    ['::1]/x', '::1]/x'],
    ['@[::1', '@[::1'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe("a client's site", () => {
  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['::1', '0:0:0::/48'],
    ['203.0.113.9', null],
    ['::ffff:203.0.113.9', null],
    ['local', null],
  ])('of %s is %s', (address, site) => {
    expect(siteOf(address)).toBe(site)
  })
})
