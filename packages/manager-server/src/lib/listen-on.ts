import type { Server } from 'node:net'
import { ManagerError } from '@steward/manager-core/errors'

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such host',
}

/** @throws ManagerError ERR_STATE when it cannot listen there */
export async function listenOn(server: Server, { host, port }: { readonly host: string; readonly port: number }) {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new ManagerError('ERR_STATE', `The server cannot listen on ${host}:${port}: ${reasons[code] ?? message}.`, {
      cause: error,
      help: 'Name another address with --listen or APPS_LISTEN.',
    })
  }
}
