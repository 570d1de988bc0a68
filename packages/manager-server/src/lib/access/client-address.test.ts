import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createClientAddress, networkOf } from './client-address.js'

function addressOf(
  remoteAddress: string | undefined,
  forwarded?: string,
  trustedProxies = ['127.0.0.1', '::1'],
  { enabled = false, isOurs = false } = {},
) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const request = { headers, socket: { remoteAddress } } as unknown as IncomingMessage
  return createClientAddress({ isOwnProxy: () => isOurs })(request, { trustedProxies, proxy: { enabled } })
}

it('with a reverse proxy of its own, others on this machine cannot name an address', () => {
  for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.8.8.8']) {
    const own = peer.replace('::ffff:', '')
    expect(addressOf(peer, '203.0.113.5', undefined, { enabled: true })).toBe(own)
    const trusted = ['127.0.0.0/8', '::1']
    expect(addressOf(peer, '203.0.113.5', trusted, { enabled: true, isOurs: true })).toBe('203.0.113.5')
  }
  expect(addressOf('10.1.2.3', '203.0.113.5', ['10.0.0.0/8'], { enabled: true })).toBe('203.0.113.5')
})

it.each([
  ['of the connection', '192.0.2.1', undefined, '192.0.2.1'],
  ['of the connection, when who says another is not trusted', '192.0.2.1', '203.0.113.5', '192.0.2.1'],
  ['that a proxy says', '127.0.0.1', '203.0.113.5', '203.0.113.5'],
  [
    'the last one that a proxy says, as the client may have sent the others',
    '127.0.0.1',
    '10.0.0.1, 203.0.113.5',
    '203.0.113.5',
  ],
  ['IPv6', '::1', '2001:db8::1', '2001:db8::1'],
  ['IPv4 in IPv6', '::ffff:192.0.2.1', undefined, '192.0.2.1'],
  ['a proxy in IPv6 form', '::ffff:127.0.0.1', '203.0.113.5', '203.0.113.5'],
  ['of the connection, when a proxy says rubbish', '127.0.0.1', "'; drop table history --", '127.0.0.1'],
  ['of the connection, when a proxy says unknown', '127.0.0.1', 'unknown', '127.0.0.1'],
  ['without the name of an interface', 'fe80::1%eth0', undefined, 'fe80::1'],
  ['nothing, of a connection that is gone', undefined, undefined, ''],
])('the address is %s', (_, remote, forwarded, expected) => {
  expect(addressOf(remote, forwarded)).toBe(expected)
})

it('the address is that before all trusted networks', () => {
  expect(addressOf('10.1.2.3', '203.0.113.5, 10.9.9.9', ['10.0.0.0/8'])).toBe('203.0.113.5')
})

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1'],
  ['2001:DB8:0:1::', '2001:db8:0:1'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('the network of %j is %s', (address, expected) => {
  expect(networkOf(address)).toBe(expected)
})
