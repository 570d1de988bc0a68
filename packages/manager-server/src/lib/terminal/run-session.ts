import type { RawData, WebSocket } from 'ws'
import type { PtyProcess } from './load-pty.js'

export interface SessionOptions {
  readonly socket: WebSocket
  readonly pty: PtyProcess
  /** Without input for this long it ends. */
  readonly idleMs: number
  /** After this long it ends. */
  readonly maxMs: number
  /** Ends it, with the server. */
  readonly signal: AbortSignal
  /** Ends it, because its user may no longer have it. */
  readonly refused?: AbortSignal
  /** How often is looked whether the other side is still there. Default 30,000. */
  readonly pingMs?: number
}

export interface SessionEnd {
  /** For people. */
  readonly how: string
  /** To close the socket with: 1000, or one of those below. */
  readonly code: number
}

/** Codes that the socket is closed with, beside 1000: the shell ended. Source: RFC 6455, 7.4.2 (private use). */
const closeCodes = { idle: 4001, max: 4002, server: 4003, signedOut: 4004 } as const
/** Output that the other side has not taken, in bytes: from the first on the shell waits, below the second it continues. */
const most = 512 * 1024
const few = 64 * 1024
/** Between SIGHUP and SIGKILL, in ms. */
const graceMs = 2000

/**
 * Connects a pseudo-terminal to a socket until one of them ends. Messages of the client are bytes of the keyboard (binary), or
 * `{"columns":80,"rows":24}`; those of the server are bytes for the screen.
 *
 * @param socket paused, so that nothing was lost until now
 */
export async function runSession(options: SessionOptions): Promise<SessionEnd> {
  const { socket, pty, idleMs, maxMs, signal, refused, pingMs = 30_000 } = options
  const { promise, resolve } = Promise.withResolvers<SessionEnd>()
  const exited = Promise.withResolvers<void>()
  const end = (how: string, code: number) => resolve({ how, code })

  const idle = setTimeout(() => end(`no input for ${seconds(idleMs)}`, closeCodes.idle), idleMs)
  const max = setTimeout(() => end(`open for ${seconds(maxMs)}`, closeCodes.max), maxMs)
  let isThere = true
  const ping = setInterval(() => {
    if (!isThere) return end('the connection was lost', 1000)
    isThere = false
    socket.ping()
  }, pingMs)
  const onAbort = () => end('the server was stopped', closeCodes.server)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  refused?.addEventListener('abort', () => end('its user is no longer signed in', closeCodes.signedOut), { once: true })

  pty.onExit(({ exitCode, signal: by }) => {
    exited.resolve()
    end(by ? `the shell was ended by signal ${by}` : `the shell ended with code ${exitCode}`, 1000)
  })
  pty.onData((data) => {
    // Bytes, as it has no encoding; cut anywhere, also within a character.
    socket.send(data, { binary: true }, () => {
      if (socket.bufferedAmount < few) pty.resume()
    })
    if (socket.bufferedAmount > most) pty.pause()
  })
  socket.on('message', (data, isBinary) => {
    isThere = true
    if (!isBinary) return resize(pty, textOf(data))
    idle.refresh()
    pty.write(data as unknown as string)
  })
  socket.on('pong', () => (isThere = true))
  const onClose = () => end('the page was left', 1000)
  socket.on('close', onClose)
  if (socket.readyState !== socket.OPEN) onClose()
  // What follows it is `close`.
  socket.on('error', () => undefined)
  socket.resume()

  const { how, code } = await promise
  for (const timer of [idle, max, ping]) clearTimeout(timer)
  signal.removeEventListener('abort', onAbort)
  // A shell that waits for its output to be taken could not end.
  pty.resume()
  await endShell(pty, exited.promise)
  return { how, code }
}

async function endShell(pty: PtyProcess, exited: Promise<void>): Promise<void> {
  const kill = (signal: string) => {
    try {
      pty.kill(signal)
    } catch {
      // It has ended.
    }
  }
  let isOver = false
  void exited.then(() => (isOver = true))
  await Promise.resolve()
  if (isOver) return
  kill('SIGHUP')
  const force = setTimeout(() => kill('SIGKILL'), graceMs)
  await exited
  clearTimeout(force)
}

/** What is not a size is passed over. */
function resize(pty: PtyProcess, text: string): void {
  try {
    const { columns, rows } = JSON.parse(text) as { readonly columns?: unknown; readonly rows?: unknown }
    if (isSize(columns) && isSize(rows)) pty.resize(columns, rows)
  } catch {
    // No JSON, or a shell that has ended.
  }
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1000
}

function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : ''
}

function seconds(ms: number): string {
  return ms >= 120_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 1000)} s`
}
