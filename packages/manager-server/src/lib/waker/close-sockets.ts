import type { Server, Socket } from 'node:net'

/** As `closeServer`, for what is no HTTP server. In ms. */
const graceMs = 3000

export async function closeSockets(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), graceMs)
  await closed
  clearTimeout(timer)
}
