import type { Instance } from '../domain/instance.js'
import type { Home } from '../domain/home.js'
import { listenersByPort, type TcpSocket } from '../system/tcp-table.js'
import { refOf } from './instance-ref.js'
import { ownerOfPort } from './owner-of-port.js'
import type { Runtimes } from './runtimes.js'

/** Who listens at the port of an instance: itself, also at this socket, nothing, or a program of another user. */
export type Reach =
  | { readonly listens: 'own'; readonly socket?: string }
  | { readonly listens: 'none' }
  | { readonly listens: 'foreign'; readonly uid: number }

/** What connections to 127.0.0.1 reach, as `/proc/net/tcp` names it: this address, else all addresses of IPv4 or IPv6. */
const loopback = '0100007F'
const anyAddress: ReadonlySet<string> = new Set(['00000000', '0'.repeat(32)])

/** Looks once for all instances; each is looked up by its id. */
export function reaches(
  context: { readonly home: Home; readonly runtimes: Pick<Runtimes, 'of'> },
  instances: readonly Instance[],
): ReadonlyMap<string, Reach> {
  const listeners = listenersByPort()
  return new Map(instances.map((one) => [one.id, reachOf(context, one, listeners)]))
}

function reachOf(
  context: Parameters<typeof reaches>[0],
  instance: Instance,
  listeners: ReturnType<typeof listenersByPort>,
): Reach {
  const found = reachable(listeners?.get(instance.port) ?? [])
  // Only Linux shows it.
  if (!listeners) return isWanted(instance) ? { listens: 'own' } : { listens: 'none' }
  // Most of those that are stopped need no further look.
  if (found.length === 0 && !isWanted(instance)) return { listens: 'none' }
  const ref = refOf(context, instance)
  const { uids, forwarded = false } = ownerOfPort(context.runtimes, ref)
  const foreign = found.find(({ uid }) => !uids.includes(uid))
  if (foreign) return { listens: 'foreign', uid: foreign.uid }
  if (found.length === 0 && !(forwarded && isWanted(instance))) return { listens: 'none' }
  const socket = context.runtimes.of(ref).socketOf?.(ref)
  return { listens: 'own', ...(socket !== undefined && { socket }) }
}

function isWanted({ desired, observed }: Instance): boolean {
  return desired === 'started' && observed !== 'stopped' && observed !== 'asleep'
}

function reachable(found: readonly TcpSocket[]): readonly TcpSocket[] {
  const at = (socket: TcpSocket) => socket.local.slice(0, socket.local.indexOf(':'))
  const exact = found.filter((socket) => at(socket) === loopback)
  return exact.length > 0 ? exact : found.filter((socket) => anyAddress.has(at(socket)))
}
