import type { IncomingMessage, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { ManagerError } from '../../../errors.js'

/** Docker's engine, or another one that answers as it does, at a socket of this machine. */
export interface ContainerEngine {
  readonly socket: string
  /**
   * @returns its answer; undefined: it has none, or one of the statuses in `besides`
   * @throws ManagerError ERR_STATE when it cannot be reached, saying what to do; ERR_FAILED with what it says
   */
  ask<T>(method: EngineMethod, path: string, request?: EngineRequest): Promise<T | undefined>
  /** The same for what it says while it works: its lines of JSON. A line that reports an error ends it with that. */
  follow(path: string, request: EngineRequest, onLine: (line: EngineLine) => void): Promise<void>
  /** The same for output, which is frames of bytes, until it ends or the signal comes. */
  stream(path: string, request: EngineRequest): Promise<Readable>
  /** The last lines that a container wrote to its output. */
  outputOf(container: string): Promise<string>
}

export type EngineMethod = 'GET' | 'POST' | 'DELETE'

export interface EngineRequest {
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON; a stream as it is. */
  readonly body?: unknown
  /** Statuses that are no error: nothing to do, nothing there. */
  readonly besides?: readonly number[]
  readonly headers?: Readonly<Record<string, string>>
  /** Default: a minute. 0: as long as it takes. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

export interface EngineLine {
  readonly status?: string
  readonly id?: string
  readonly progressDetail?: { readonly current?: number; readonly total?: number }
  readonly error?: string
  /** What came of it: the digest of an image that was pushed. */
  readonly aux?: { readonly Digest?: string }
}

/**
 * A few calls of HTTP: the usual library would bring 56 packages, and take half a second of each command that looks at a
 * container.
 */
export function createContainerEngine(socket: string): ContainerEngine {
  async function send(method: EngineMethod, path: string, request: EngineRequest): Promise<IncomingMessage> {
    try {
      return await answerOf({ socketPath: socket, method, path: pathOf(path, request.query) }, request)
    } catch (error) {
      throw awayError(socket, error)
    }
  }

  return {
    socket,
    async ask<T>(method: EngineMethod, path: string, request: EngineRequest = {}) {
      const response = await send(method, path, request)
      const text = await textOf(response)
      const { statusCode = 500 } = response
      if (request.besides?.includes(statusCode)) return undefined
      if (statusCode >= 300) throw refusal(text, statusCode)
      return text === '' ? undefined : (JSON.parse(text) as T)
    },
    async follow(path, request, onLine) {
      const response = await send('POST', path, { timeoutMs: 0, ...request })
      if ((response.statusCode ?? 500) >= 300) throw refusal(await textOf(response), response.statusCode)
      const take = (line: string): void => {
        if (line.trim() === '') return
        const said = JSON.parse(line) as EngineLine
        if (said.error !== undefined) throw refusal(JSON.stringify({ message: said.error }))
        onLine(said)
      }
      let rest = ''
      for await (const chunk of response.setEncoding('utf8')) {
        const lines = (rest + String(chunk)).split('\n')
        rest = lines.pop() ?? ''
        lines.forEach(take)
      }
      take(rest)
    },
    async stream(path, request) {
      const response = await send('GET', path, { timeoutMs: 0, ...request })
      if ((response.statusCode ?? 500) >= 300) throw refusal(await textOf(response), response.statusCode)
      return response
    },
    async outputOf(container) {
      const query = { stdout: '1', stderr: '1', tail: '20' }
      const response = await send('GET', `/containers/${container}/logs`, { query })
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const content = Buffer.concat(chunks)
      return response.statusCode === 200 ? textOfFrames(content) : ''
    },
  }
}

/** A frame is 4 bytes for the stream, the length of its text in 4 more, and the text. */
function textOfFrames(content: Buffer): string {
  let text = ''
  for (let at = 0; at + 8 <= content.length;) {
    const end = at + 8 + content.readUInt32BE(at + 4)
    text += content.toString('utf8', at + 8, end)
    at = end
  }
  return text.trim()
}

function pathOf(path: string, query: EngineRequest['query']): string {
  return query ? `${path}?${new URLSearchParams(query).toString()}` : path
}

function answerOf(
  options: RequestOptions,
  { body, headers, signal, timeoutMs = 60_000 }: EngineRequest,
): Promise<IncomingMessage> {
  // An import would load all that Node has of HTTP, which takes longer than most commands.
  const { request } = process.getBuiltinModule('node:http')
  const limit = timeoutMs > 0 ? [AbortSignal.timeout(timeoutMs)] : []
  const isStream = body !== undefined && typeof (body as Readable).pipe === 'function'
  const type = isStream ? 'application/x-tar' : 'application/json'
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...options,
        agent: false,
        headers: { Host: 'localhost', ...(body !== undefined && { 'Content-Type': type }), ...headers },
        signal: AbortSignal.any([...limit, ...(signal ? [signal] : [])]),
      },
      resolve,
    ).once('error', reject)
    if (!isStream) return sent.end(body === undefined ? undefined : JSON.stringify(body))
    ;(body as Readable).once('error', reject).pipe(sent)
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

function refusal(text: string, status?: number): ManagerError {
  let message = text.trim()
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? message
  } catch {
    // It is not JSON.
  }
  return new ManagerError('ERR_FAILED', `The container engine refused: ${message || `status ${status}`}`)
}

function awayError(socket: string, error: unknown): unknown {
  const { code, name } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM')
    return new ManagerError('ERR_STATE', `This user is not allowed to use the container engine at ${socket}.`, {
      cause: error,
      help:
        'Add the user to the group of the socket, usually docker, and log in again. Members of this group have the ' +
        'rights of root.',
    })
  if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'ENOTSOCK', 'EPIPE'].includes(code ?? ''))
    return new ManagerError(
      'ERR_STATE',
      `No container engine responds at ${socket}: it is not installed or not running.`,
      {
        cause: error,
        help: 'Install Docker (docker.io on Debian) and start it, or name the socket of your engine in APPS_CONTAINER_SOCKET.',
      },
    )
  if (name === 'TimeoutError')
    return new ManagerError('ERR_STATE', `The container engine at ${socket} does not respond in time.`, {
      cause: error,
      help: 'Check its log: journalctl -u docker',
    })
  return error
}
