import { once } from 'node:events'
import type { Manager } from '@steward/manager-core'
import type { Interruption } from './interruption.js'
import type { Surroundings } from './surroundings.js'

/** Serves until a signal comes. @returns the exit code: 0, whatever ended it */
export async function runServer(
  manager: Manager,
  options: { readonly listen?: string },
  { stderr }: Surroundings,
  { signal }: Interruption,
): Promise<number> {
  // Loaded here: other commands do not need it.
  const { createManagerServer } = await import('@steward/manager-server')
  const server = await createManagerServer({ manager, ...options })
  stderr.write(`The manager is running at ${server.url} (press Ctrl-C to stop)\n`)
  try {
    if (!signal.aborted) await once(signal, 'abort')
  } finally {
    await server.close()
  }
  return 0
}
