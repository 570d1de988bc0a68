import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { loadAppDefinition } from './lib/app-definition.js'
import { createApplication } from './lib/create-application.js'
import { readSettings } from './lib/settings.js'

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface ServedHere {
  readonly port: number
  /** Calls a path below the origin; a body is sent as JSON. */
  call(method: string, path: string, headers?: Readonly<Record<string, string>>, body?: object): Promise<Answer>
  close(): Promise<void>
}

export const adminPassword = 's3cret-passw0rd'

/** Serves the application in a folder from this process, with its own pool and caches. */
export async function serveHere(folder: string, database: string): Promise<ServedHere> {
  const settings = readSettings({ STEWARD_DATABASE: database, STEWARD_ADMIN_PASSWORD: adminPassword })
  const application = await createApplication({
    folder,
    dataFolder: join(folder, 'data'),
    definition: await loadAppDefinition(folder, settings),
    settings,
    logger: pino({ level: 'silent' }),
  })
  const server = createServer(application.koa.callback() as never)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    async call(method, path, headers = {}, body) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await application.close()
    },
  }
}
