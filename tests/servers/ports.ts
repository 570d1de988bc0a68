import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { takeTestPort } from '../../packages/manager-core/src/lib/testing/take-ports.js'

/** Ports of 127.0.0.1 that no process listens on and no other test gets while this process runs. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await takeTestPort())
  return ports
}

/** Whether a process listens on a port of 127.0.0.1. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** The same without a connection, where the system shows it: some servers pause when one has ended. */
export async function isListening(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return accepts(port)
  const [address, state] = [`0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`, '0A']
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .some((line) => new RegExp(`: ${address} \\S+ ${state} `).test(line))
}
