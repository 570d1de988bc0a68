import type { Server } from 'node:http'

/** How long answers may take that are being sent, in ms. Not specified; chosen as service managers wait longer. */
const graceMs = 3000

/** Takes no connection any more, lets answers come to their end, and cuts off those that do not. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(timer)
}
