import type { IncomingMessage } from 'node:http'
import { HttpError } from '../http-error.js'

/** Far above what the form can hold. */
const maxBytes = 16 * 1024

/**
 * Fields of a posted form, trimmed but for those that are to be as they were typed.
 *
 * @throws HttpError 400, 413, 415
 */
export async function readForm(
  request: IncomingMessage,
  { asTyped = [] }: { readonly asTyped?: readonly string[] } = {},
): Promise<Readonly<Record<string, string>>> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
    throw new HttpError(415, 'ERR_USAGE', 'A form is expected (application/x-www-form-urlencoded).')
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new HttpError(400, 'ERR_USAGE', 'The form did not arrive as a whole.', { cause: error })
  }
  if (bytes > maxBytes) throw new HttpError(413, 'ERR_USAGE', `The form has more than ${maxBytes} bytes.`)
  const fields = new URLSearchParams(Buffer.concat(chunks).toString())
  return Object.fromEntries(
    [...fields].map(([name, value]) => [name, asTyped.includes(name) ? value : value.trim().normalize('NFC')]),
  )
}
