import { lookup } from 'node:dns'
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { LookupFunction } from 'node:net'

/**
 * Networks that no address of the internet lies in: this machine, private and local networks, documentation, multicast,
 * and ways to write an IPv4 address within an IPv6 one. Source: the IANA special-purpose address registries.
 */
const networks = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

const blocked = new BlockList()
for (const [address, bits] of networks) blocked.addSubnet(address, bits, isIPv6(address) ? 'ipv6' : 'ipv4')

/** Whether an IP address leads into a network that is not the internet; an IPv6 address may be one of IPv4 (`::ffff:…`). */
export function isPrivateAddress(address: string): boolean {
  const bare = address.split('%')[0] ?? ''
  const version = isIP(bare)
  return version === 0 || blocked.check(bare, version === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Looks up names for connections that must not lead into such a network: the address is checked when it is connected to,
 * so that it cannot change in between. Addresses in place of names are connected to without being looked up.
 *
 * @param refusal the error for a name that leads there.
 */
export function publicLookup(refusal: (name: string) => Error): LookupFunction {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      if (addresses.some(({ address }) => isPrivateAddress(address))) return callback(refusal(name), '')
      const [first] = addresses
      if (options.all) callback(null, addresses)
      else callback(null, first?.address ?? '', first?.family)
    })
  }
}
