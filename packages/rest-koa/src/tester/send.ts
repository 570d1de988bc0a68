import type { BuiltRequest } from './build-request.js'
import { credentialsOf } from './session.js'
import { ownHeaders } from './session.js'
import type { Session } from './session.js'

/** What came back, with the body in memory. */
export interface Answer {
  readonly request: BuiltRequest
  readonly status: number
  readonly statusText: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Media type without its parameters, in lower case; empty when there is none. */
  readonly mime: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The body is longer; the rest was not awaited. */
  readonly cut: boolean
  /** From sending to the headers, and to the end of the body. */
  readonly headMs: number
  readonly totalMs: number
}

/** Most bytes of an answer that are kept. */
const mostBytes = 32 * 1024 * 1024

/**
 * Sends a request as the user and reads the answer; what is too long for a page is cut.
 *
 * @param onProgress called with the bytes so far.
 * @throws TypeError when the service cannot be reached; AbortError.
 */
export async function send(
  request: BuiltRequest,
  session: Session,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<Answer> {
  const started = performance.now()
  const response = await fetch(request.url, {
    method: request.method,
    // A user agent's own credentials would hide what the service answers to these.
    credentials: 'omit',
    cache: 'no-store',
    headers: { ...ownHeaders, ...request.headers, ...credentialsOf(session) },
    signal,
    ...(request.body !== undefined && { body: request.body }),
  })
  const headMs = performance.now() - started
  const { bytes, cut } = await read(response, onProgress)
  return {
    request,
    status: response.status,
    statusText: response.statusText || (reasons[response.status] ?? ''),
    headers: [...response.headers].map(([name, value]) => [name, value] as const),
    mime: (response.headers.get('content-type') ?? '').replace(/;.*/s, '').trim().toLowerCase(),
    bytes,
    cut,
    headMs,
    totalMs: performance.now() - started,
  }
}

async function read(response: Response, onProgress: (bytes: number) => void) {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = response.body?.getReader()
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true }
    if (done || !value) return { bytes: join(chunks, length), cut: false }
    chunks.push(value)
    length += value.length
    onProgress(length)
    if (length > mostBytes) {
      await reader?.cancel()
      return { bytes: join(chunks, length), cut: true }
    }
  }
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** HTTP/2 has no texts. */
const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}
