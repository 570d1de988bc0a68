import type { IncomingMessage } from 'node:http'
import { HttpError } from './http-error.js'

/** Far above what forms can hold. */
const maxBytes = 16 * 1024

/**
 * The whole body of a small request, as text.
 *
 * @param type of its content
 * @param what the body is, for messages: `The form`
 * @throws HttpError 400, 413, 415
 */
export async function readBody(request: IncomingMessage, type: string, what: string): Promise<string> {
  const given = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (given !== type) throw new HttpError(415, 'ERR_USAGE', `${what} is expected as ${type}.`)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new HttpError(400, 'ERR_USAGE', `${what} did not arrive as a whole.`, { cause: error })
  }
  if (bytes > maxBytes) throw new HttpError(413, 'ERR_USAGE', `${what} has more than ${maxBytes} bytes.`)
  return Buffer.concat(chunks).toString()
}
