import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { proxyHeaders, type GlobalSettings, type ManagerContext } from '@steward/manager-core'
import { createIsOwnProxy } from './own-proxy.js'

const names = {
  verify: proxyHeaders.verify.toLowerCase(),
  subject: proxyHeaders.subject.toLowerCase(),
}

/**
 * The common name in the certificate that a client proved itself by, where it has none the whole subject: to this server
 * over TLS, or to our own reverse proxy, which says so in headers beside its secret. Undefined: there is no certificate,
 * or no authority of clients is set.
 */
export function createCertificateNameOf({
  home,
}: Pick<ManagerContext, 'home'>): (
  request: IncomingMessage,
  settings: Pick<GlobalSettings, 'ssl'>,
) => string | undefined {
  const isOwnProxy = createIsOwnProxy({ home })
  return (request, { ssl: { clientCaCertificate, clientCaFolder } }) => {
    // Without one of ours, TLS would take the certificates of every public authority.
    if (clientCaCertificate === undefined && clientCaFolder === undefined) return undefined
    return ofSocket(request.socket as TLSSocket) ?? ofProxy(request)
  }

  function ofProxy(request: IncomingMessage): string | undefined {
    const { [names.verify]: verify, [names.subject]: subject } = request.headers
    if (verify !== 'SUCCESS' || typeof subject !== 'string' || subject === '') return undefined
    return isOwnProxy(request) ? commonNameIn(subject) : undefined
  }
}

function ofSocket(socket: TLSSocket): string | undefined {
  if (!socket.encrypted || !socket.authorized) return undefined
  const certificate = socket.getPeerX509Certificate()
  // One attribute a line.
  return certificate && commonNameIn(certificate.subject.split('\n').toReversed().join(','))
}

/** Reads a name as in RFC 2253: `CN=alice\, b,O=Example`. */
function commonNameIn(subject: string): string {
  const parts = subject.match(/(?:\\.|[^,\\])+/g) ?? []
  const found = parts.find((part) => /^\s*CN=/i.test(part))?.replace(/^\s*CN=/i, '')
  return unescaped(found ?? subject)
}

/** `\,` and, byte by byte, `\C3\A9`; nothing that ends a line. */
function unescaped(text: string): string {
  const bytes = (text.match(/\\[0-9A-F]{2}|\\?./gisu) ?? []).map((part) =>
    /^\\[0-9A-F]{2}$/i.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part.replace(/^\\(?=.)/su, '')),
  )
  return Buffer.concat(bytes)
    .toString()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 100)
}
