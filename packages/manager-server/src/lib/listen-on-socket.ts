import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'

/**
 * Has a server also answer at a Unix socket, in place of one that a dead server left. Its clients count as those of
 * 127.0.0.1: any program of this machine may connect, as to the port.
 *
 * @returns ends it; the server itself ends the connections
 */
export async function listenOnSocket(server: Server, path: string): Promise<() => void> {
  const pass = (socket: Socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' })
    server.emit('connection', socket)
  }
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, pass)
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(path, resolve)
  })
  chmodSync(path, 0o666)
  return () => void listener.close()
}
