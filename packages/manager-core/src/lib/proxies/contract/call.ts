import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import type { Echo } from './backend.js'

export interface Call extends Pick<RequestOptions, 'method' | 'agent'> {
  /** Host, for TLS too; with port when a browser would send it. */
  readonly host: string
  readonly path?: string
  readonly port: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** PEM of the authority that is trusted, and of a client's certificate. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string }
}

export interface Called {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** What reached the backend; throws when the answer is not its. */
  readonly echo: Echo
}

/** One request on a connection of its own, unless an agent is given. */
export async function call(options: Call): Promise<Called> {
  const response = await open(options)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    get echo() {
      return JSON.parse(text) as Echo
    },
  }
}

/** The answer as it starts. */
export function open(options: Call): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    requestOf(options).once('response', resolve).once('error', reject).end(options.body)
  })
}

/** A connection that no longer speaks HTTP. */
export function upgrade(options: Call): Promise<Duplex> {
  const headers = { ...options.headers, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' }
  return new Promise((resolve, reject) => {
    requestOf({ ...options, headers: { ...headers, 'Sec-WebSocket-Key': 'c3Rld2FyZHN0ZXdhcmQxMQ==' } })
      .once('upgrade', (_response, socket) => resolve(socket))
      .once('response', (response) => reject(new Error(`Not upgraded: ${response.statusCode}`)))
      .once('error', reject)
      .end()
  })
}

function requestOf({ host, path = '/', port, method = 'GET', headers, tls, agent = false }: Call) {
  const options = { host: '127.0.0.1', port, path, method, agent, headers: { Host: host, ...headers } }
  return tls ? httpsRequest({ ...options, ...tls, servername: host.replace(/:\d+$/, '') }) : httpRequest(options)
}
