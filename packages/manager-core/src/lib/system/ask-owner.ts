import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toOwner, type OwnedPort } from './connect-to-owner.js'

export interface OwnerRequest {
  readonly method: string
  /** As it is sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Readable
  readonly signal: AbortSignal
}

/** Most characters of an answer; more is an error. */
const longestAnswer = 64 * 2 ** 20

/**
 * Sends a request with secrets to the program that answers at a port of 127.0.0.1, when it is its owner's. Redirects are
 * not followed.
 *
 * @throws ForeignPortError when it is not, before anything was sent; Error when it does not answer
 */
export async function askOwner(
  place: OwnedPort,
  { method, path, headers, body, signal }: OwnerRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const { request } = process.getBuiltinModule('node:http')
  const sent = request({
    host: '127.0.0.1',
    port: place.port,
    createConnection: toOwner(place, signal),
    method,
    path,
    headers,
    signal,
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject)
  })
  // One that refuses a body early answers before it has all of it.
  const sending = pipeline(typeof body === 'string' ? Readable.from([body]) : body, sent)
  sending.catch(() => undefined)
  const response = await answered
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > longestAnswer) throw new Error(`The answer of 127.0.0.1:${place.port} is too long.`)
  }
  sent.destroy()
  return { status: response.statusCode ?? 0, text }
}
