import { once } from 'node:events'
import type { AddressInfo, ListenOptions, Server } from 'node:net'
import { describeHolder } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such host',
}

export interface Place {
  readonly host: string
  readonly port: number
}

/**
 * @param inherited files of sockets that listen already; the one of this place is used
 * @throws ManagerError ERR_STATE when it cannot listen there
 */
export async function listenOn(server: Server, place: Place, inherited: readonly number[] = []): Promise<void> {
  const { host, port } = place
  try {
    if (await listenOnInherited(server, place, inherited)) return
    await listen(server, { port, host })
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const isTaken = code === 'EADDRINUSE'
    const holder = isTaken ? describeHolder(port) : ''
    throw new ManagerError(
      'ERR_STATE',
      `The server cannot listen on ${host}:${port}: ${reasons[code] ?? message}${holder}.`,
      {
        cause: error,
        help: isTaken
          ? 'End that program: what is sent to this port reaches it. Or name another address with --listen or APPS_LISTEN. ' +
            'To keep the port while the server restarts, use the socket unit of "manager setup", or a port below 1024.'
          : 'Name another address with --listen or APPS_LISTEN.',
      },
    )
  }
}

/** @returns whether one of them is at this place; the others are closed */
async function listenOnInherited(server: Server, place: Place, inherited: readonly number[]): Promise<boolean> {
  let isFound = false
  for (const fd of inherited) {
    if (isFound) break
    await listen(server, { fd })
    const at = server.address()
    if (at && typeof at === 'object' && isAt(at, place)) isFound = true
    else {
      server.close()
      await once(server, 'close')
      const where = at && typeof at === 'object' ? `${at.address}:${at.port}` : String(at)
      process.stderr.write(
        `systemd listens at ${where}, but the server at ${place.host}:${place.port}, so its socket is not used. ` +
          'Set ListenStream of the socket unit to the address of APPS_LISTEN.\n',
      )
    }
  }
  return isFound
}

function isAt({ address, port }: AddressInfo, { host, port: wanted }: Place): boolean {
  return port === wanted && (host === 'localhost' ? ['127.0.0.1', '::1'] : [host]).includes(address)
}

async function listen(server: Server, options: ListenOptions & { readonly fd?: number }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
