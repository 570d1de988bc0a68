import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isLoopback } from './client-address.js'

/** Each with the bytes of an address in groups that the kernel prints as numbers of the machine. */
const files = ['/proc/net/tcp', '/proc/net/tcp6'] as const

/**
 * The user of this machine whose process is at the other end of a connection over the loopback interface. Undefined: it
 * comes from elsewhere, or cannot be seen.
 */
export async function peerUser({
  remoteAddress = '',
  remotePort = 0,
  localAddress = '',
  localPort = 0,
}: Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>): Promise<number | undefined> {
  if (!isLoopback(remoteAddress.replace(/^::ffff:/i, ''))) return undefined
  for (const file of files) {
    const isIPv6 = file.endsWith('6')
    const [theirs, ours] = [endOf(remoteAddress, remotePort, isIPv6), endOf(localAddress, localPort, isIPv6)]
    if (theirs === undefined || ours === undefined) continue
    const text = await readFile(file, 'utf8').catch(() => '')
    const at = text.indexOf(` ${theirs} ${ours} `)
    if (at === -1) continue
    // Both ends, state, queues, timer, retransmissions, and then the user.
    const uid = text.slice(at + 1, text.indexOf('\n', at)).split(/ +/)[6] ?? ''
    return /^\d+$/.test(uid) ? Number(uid) : undefined
  }
  return undefined
}

/** `0100007F:1F90`; undefined: the file has no such address. */
function endOf(address: string, port: number, isIPv6: boolean): string | undefined {
  if (!ipaddr.isValid(address)) return undefined
  const plain = ipaddr.process(address)
  if (!isIPv6 && plain.kind() === 'ipv6') return undefined
  const bytes =
    isIPv6 && plain.kind() === 'ipv4' ? ipaddr.parse(`::ffff:${plain.toString()}`).toByteArray() : plain.toByteArray()
  let text = ''
  for (let at = 0; at < bytes.length; at += 4)
    text += bytes
      .slice(at, at + 4)
      .toReversed()
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('')
  return `${text}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
}
