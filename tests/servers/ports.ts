import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'

/** A port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Different ones: all are held until the last is known. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

/** Whether somebody listens on a port of 127.0.0.1. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** The same without a connection, where the system tells: some servers pause when one has ended. */
export async function isListening(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return accepts(port)
  const [address, state] = [`0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`, '0A']
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .some((line) => new RegExp(`: ${address} \\S+ ${state} `).test(line))
}
