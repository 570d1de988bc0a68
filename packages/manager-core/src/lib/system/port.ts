import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a program may listen on it on 127.0.0.1 now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** The same, for a port whose last owner may still be ending: threads of a killed process keep it for a moment. */
export async function becomesFree(port: number, timeoutMs = 3000): Promise<boolean> {
  const begin = performance.now()
  while (!(await isPortFree(port))) {
    if (performance.now() - begin > timeoutMs) return false
    await sleep(25)
  }
  return true
}
