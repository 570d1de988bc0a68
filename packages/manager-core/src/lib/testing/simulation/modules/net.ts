// Stands in for `node:net`: ports of the simulated machine.
import { EventEmitter } from 'node:events'
import { inTurn } from '../machine.js'
import { isTaken } from '../applications.js'

const real = globalThis.process.getBuiltinModule('node:net')

export function createServer() {
  const server = new EventEmitter()
  return Object.assign(server, {
    listen({ port }: { readonly port: number }, done: () => void) {
      void inTurn(() => {
        if (isTaken(port)) server.emit('error', Object.assign(new Error('EADDRINUSE'), { code: 'EADDRINUSE' }))
        else done()
      })
    },
    close(done: () => void) {
      done()
    },
  })
}

export const { isIP, isIPv4, isIPv6, connect, createConnection, Socket, BlockList } = real
