import type { TicketAnswer } from '../../../lib/terminal/ticket-answer.js'
import type { Answer, FailureBody } from '../../lib/answer.js'
import { ApiFailure } from '../../lib/api.js'
import { ask } from '../../lib/ask.js'

/** A shell on the server. */
export interface Shell {
  write(data: Uint8Array): void
  resize(columns: number, rows: number): void
  close(): void
}

export interface ShellEvents {
  readonly onData: (data: Uint8Array) => void
  readonly onEnd: (end: End) => void
}

/** Why a shell ended; `text` is what the server says about it. */
export interface End {
  readonly why: 'idle' | 'max' | 'server' | 'signedOut' | 'refused' | 'lost' | 'over'
  readonly text: string
}

/** Close codes of the server. */
const reasons: Readonly<Record<number, End['why']>> = {
  1000: 'over',
  1011: 'refused',
  4001: 'idle',
  4002: 'max',
  4003: 'server',
  4004: 'signedOut',
}

/**
 * Asks for a ticket, and opens a shell with it.
 *
 * @param instance undefined: of the manager
 * @throws ApiFailure
 */
export async function connect(
  instance: string | undefined,
  { onData, onEnd }: ShellEvents,
  signal: AbortSignal,
): Promise<Shell> {
  const { ticket, protocol } = await ticketFor(instance, signal)
  const address = at('../term')
  address.protocol = address.protocol.replace('http', 'ws')
  const socket = new WebSocket(address, [protocol, ticket])
  socket.binaryType = 'arraybuffer'
  signal.addEventListener('abort', () => socket.close())
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new ApiFailure(0, { message: 'WebSocket' })))
  })
  socket.addEventListener('message', ({ data }) => onData(new Uint8Array(data as ArrayBuffer)))
  socket.addEventListener('close', ({ code, reason }) => onEnd({ why: reasons[code] ?? 'lost', text: reason }))
  const send = (data: Uint8Array<ArrayBuffer> | string) => socket.readyState === WebSocket.OPEN && socket.send(data)
  return {
    write(data) {
      // A long paste in parts that the server takes.
      for (let from = 0; from < data.length; from += 65_536) send(data.slice(from, from + 65_536))
    },
    resize: (columns, rows) => void send(JSON.stringify({ columns, rows })),
    close: () => socket.close(),
  }
}

async function ticketFor(instance: string | undefined, signal: AbortSignal): Promise<TicketAnswer> {
  const address = at('../term/ticket')
  if (instance !== undefined) address.searchParams.set('instance', instance)
  let response: Response
  let body: Answer & TicketAnswer & FailureBody
  try {
    response = await ask(address, { signal })
    body = (await response.json()) as typeof body
  } catch (error) {
    signal.throwIfAborted()
    throw new ApiFailure(0, { message: (error as Error).message })
  }
  if (!response.ok) throw new ApiFailure(response.status, body)
  return body
}

/** Without credentials, which a page address may hold. */
function at(path: string): URL {
  return new URL(path, `${location.origin}${new URL(document.baseURI).pathname}`)
}
