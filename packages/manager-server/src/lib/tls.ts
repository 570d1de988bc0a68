import { createServer as createHttpServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { answerOfChallenge, challengePath, readServerTls, speaksHttps, stampOfServerTls } from '@steward/manager-core'
import type { ManagerContext, ServerTls } from '@steward/manager-core'
import type { Addressing } from './addressing.js'
import { closeServer } from './close-server.js'
import { listenOn } from './listen-on.js'
import { limitServer } from './server-limits.js'

export interface WebServerOptions {
  readonly context: ManagerContext
  readonly addressing: Addressing
  readonly limits: ServerOptions
  readonly listener: RequestListener
  /** Called with what is wrong with certificates. */
  readonly onProblem: (message: string) => void
}

export interface WebServer {
  readonly server: Server
  readonly scheme: 'http' | 'https'
  /** Ends what runs beside the server, which the caller ends. */
  close(): Promise<void>
}

/**
 * The server, not listening yet: of HTTPS when it speaks it itself (see `speaksHttps`), with a certificate that is read
 * again, without a restart, when it is another one. With ACME it also answers challenges on APPS_PROXYHTTP, and leads
 * everything else there to HTTPS.
 */
export async function createWebServer(options: WebServerOptions): Promise<WebServer> {
  const { context, addressing, limits, listener } = options
  if (!speaksHttps(context, addressing))
    return { server: createHttpServer(limits, listener), scheme: 'http', close: async () => {} }
  const server = createHttpsServer(
    { ...limits, handshakeTimeout: 10_000, requestCert: true, rejectUnauthorized: false },
    listener,
  )
  followCertificate(server, options)
  const plain = context.settings.global.acme && (await listenForChallenges(options))
  return {
    server: server as unknown as Server,
    scheme: 'https',
    async close() {
      if (plain) await closeServer(plain)
    },
  }
}

/** Looks whether it is another one before a connection comes that would get it, at most once a second. */
function followCertificate(server: HttpsServer, { context, onProblem }: WebServerOptions): void {
  let last = ''
  let lookedAt = -Infinity
  const look = () => {
    const now = performance.now()
    if (now < lookedAt + 1000) return
    lookedAt = now
    try {
      const stamp = stampOfServerTls(context)
      if (stamp === last) return
      last = stamp
      const tls = readServerTls(context)
      if (tls) server.setSecureContext(contextOf(tls))
      else onProblem(`There is no certificate for ${context.settings.global.baseUrl} yet: HTTPS answers when there is.`)
    } catch (error) {
      // What it had before continues.
      onProblem(`The certificate cannot be used: ${(error as Error).message}`)
    }
  }
  look()
  server.prependListener('connection', look)
}

/** Without an authority of clients none is accepted: Node would take the certificates of all public ones. */
function contextOf({ certificate, key, clientAuthorities }: ServerTls) {
  return { cert: certificate, key, ca: clientAuthorities ?? [] }
}

/** Undefined, and reported: another program has the port, which may answer in our place. */
async function listenForChallenges({
  context,
  addressing: { host },
  limits,
  onProblem,
}: WebServerOptions): Promise<Server | undefined> {
  const { baseUrl, proxy } = context.settings.global
  const server = createHttpServer(limits, ({ url = '/', method = '' }, response) => {
    const answer = url.startsWith(challengePath)
      ? answerOfChallenge(context.home, url.slice(challengePath.length))
      : undefined
    if (answer !== undefined) return response.end(answer)
    // Never with a body or a password, which would have come readable.
    if (!['GET', 'HEAD'].includes(method) || url.startsWith(challengePath) || !url.startsWith('/'))
      return response.writeHead(404).end()
    return response.writeHead(308, { Location: `${new URL(baseUrl).origin}${url}` }).end()
  })
  limitServer(server)
  try {
    await listenOn(server, { host, port: proxy.httpPort })
    return server
  } catch (error) {
    onProblem(`${(error as Error).message} Challenges of ACME must be answered there, for certificates to be issued.`)
    return undefined
  }
}
