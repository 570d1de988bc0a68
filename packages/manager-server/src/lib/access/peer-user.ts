import type { Socket } from 'node:net'
import { otherEnd } from '@steward/manager-core'
import ipaddr from 'ipaddr.js'
import { isLoopback } from './client-address.js'

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
  const [local, remote] = [endOf(localAddress, localPort), endOf(remoteAddress, remotePort)]
  return local !== undefined && remote !== undefined ? (await otherEnd({ local, remote }))?.uid : undefined
}

/** `0100007F:1F90`: the bytes of an address in groups that the kernel prints as numbers of the machine. */
function endOf(address: string, port: number): string | undefined {
  if (!ipaddr.isValid(address)) return undefined
  const bytes = ipaddr.process(address).toByteArray()
  const hex = (part: readonly number[]) => part.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) text += hex(bytes.slice(at, at + 4).toReversed())
  return `${text}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
}
