import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Router } from '@koa/router'
import Koa from 'koa'
import {
  inheritedListeners,
  removeIfEmpty,
  socketFolder,
  startMonitoring,
  startPublishing,
  startRenewals,
  type Manager,
} from '@steward/manager-core'
import { createAccess } from './access/access.js'
import { acmeChallengeRouter } from './acme-challenge-router.js'
import { createAnswerCache } from './api/answer-cache.js'
import { apiRouter } from './api/api-router.js'
import { createAddressing } from './addressing.js'
import { metricsRouter } from './metrics/metrics-router.js'
import { closeServer } from './close-server.js'
import { listenOn } from './listen-on.js'
import { listenOnSocket } from './listen-on-socket.js'
import { pagesRouter } from './pages/pages-router.js'
import { pingRouter } from './ping-router.js'
import { registerRouter } from './register/register-router.js'
import { securityHeaders } from './security-headers.js'
import { sendErrors } from './send-errors.js'
import { limitServer, serverLimits } from './server-limits.js'
import type { ServerState } from './server-state.js'
import { sessionRouter } from './session/session-router.js'
import { createWebServer } from './tls.js'
import { acceptUpgrades } from './terminal/accept-upgrades.js'
import { startSleeping } from './waker/start-sleeping.js'
import { createTerminalServer } from './terminal/create-terminal-server.js'

export interface ManagerServerOptions {
  /** What performs the actions; not closed with the server. */
  readonly manager: Manager
  /** `address:port`, over APPS_LISTEN. Port 0: a free one. */
  readonly listen?: string
  /** Folder of the built pages. Default: those of this package. */
  readonly ui?: string
}

/** API at `/api`, pages at `/ui`, below the path of APPS_BASEURL. */
export interface ManagerServer {
  /** Address that it listens on, for people: `http://127.0.0.1:8000`. */
  readonly url: string
  /** Ends streams, and after a short time all connections; operations continue in their processes. */
  close(): Promise<void>
}

/**
 * Starts the server.
 *
 * @throws ManagerError ERR_SETTINGS when it would be reachable from other machines without a password of its own;
 *   ERR_STATE when it cannot listen there.
 */
export async function createManagerServer({ manager, listen, ui }: ManagerServerOptions): Promise<ManagerServer> {
  const { context } = manager
  const addressing = createAddressing(context.settings.global, listen)
  const access = createAccess(context, addressing)
  const cache = createAnswerCache(context.home.database)
  const terminals = createTerminalServer({ manager, access, addressing, onProblem: logError })
  const closing = new AbortController()
  const app = new Koa<ServerState>()
  app.on('error', logError)
  app.use(securityHeaders({ addressing, context }))
  app.use(sendErrors())
  const router = new Router<ServerState>()
  router.use(
    registerRouter({ manager, addressing, addressOf: access.addressOf }).routes(),
    pingRouter({ manager, addressing }).routes(),
    acmeChallengeRouter(manager).routes(),
    metricsRouter({ manager, access, addressing }).routes(),
    sessionRouter({ manager, access, addressing }).routes(),
    apiRouter({ manager, access, addressing, cache, closing: closing.signal }).routes(),
    terminals.router.routes(),
    pagesRouter({ access, addressing, folder: ui }).routes(),
  )
  app.use(router.routes())

  const answer = app.callback()
  const web = await createWebServer({
    context,
    addressing,
    limits: serverLimits,
    onProblem: report('Certificates'),
    listener: (request, response) => void answer(request, response),
  })
  const { server } = web
  limitServer(server)
  acceptUpgrades(server, terminals.upgrade)
  try {
    await listenOn(server, addressing, inheritedListeners())
  } catch (error) {
    await web.close()
    throw error
  }
  const { address, port } = server.address() as AddressInfo
  const at = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const { enabled: isPublished } = context.settings.global.proxy
  // Ports that were given for this start only are another server's next time.
  const folder = isPublished ? socketFolder(context.home.folder, { onProblem: report('Reverse proxy') }) : undefined
  const path = folder && join(folder, `${port}.sock`)
  const closeSocket = path === undefined ? () => undefined : await listenOnSocket(server, path)
  const runs = context.runs.serve()
  const monitoring = startMonitoring({ context, onProblem: report('Monitoring') })
  const publishing = startPublishing({
    context,
    manager: path === undefined ? at : `unix:${path}`,
    onProblem: report('Reverse proxy'),
  })
  const renewals = startRenewals({ context, after: publishing.begun, onProblem: report('Certificates') })
  const sleeping = startSleeping({ manager, folder, after: publishing.begun, onProblem: report('Sleeping instances') })
  return {
    url: `${web.scheme}://${at}`,
    async close() {
      closing.abort()
      // First: another server that listens on the port makes it again.
      closeSocket()
      runs.close()
      const parts = [web, terminals, renewals, monitoring, publishing, sleeping]
      await Promise.all([closeServer(server), ...parts.map((part) => part.close())])
      cache.close()
      if (folder !== undefined) removeIfEmpty(folder)
    },
  }
}

/** Writes down what goes wrong beside requests. */
function report(subject: string): (message: string) => void {
  return (message) => void process.stderr.write(`${subject}: ${message}\n`)
}

/** Errors of clients that have gone. */
const ordinary: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECANCELED', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Writes down mistakes of the server; what clients do is not one. */
function logError(error: unknown): void {
  if (ordinary.has((error as NodeJS.ErrnoException).code)) return
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
