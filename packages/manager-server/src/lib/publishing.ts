import type { AddressInfo } from 'node:net'
import { startPublishing, type Manager, type Publishing } from '@steward/manager-core'

/** What the reverse proxy serves, kept in line while the server runs, which is one of it. */
export function publishingOf({ context }: Manager, { address, family, port }: AddressInfo): Publishing {
  return startPublishing({
    context,
    manager: `${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    onProblem: (message) => process.stderr.write(`Reverse proxy: ${message}\n`),
  })
}
