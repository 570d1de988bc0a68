import { spawn } from 'node:child_process'
import type { Duplex, Readable, Writable } from 'node:stream'

export interface ScriptCall {
  /** Absolute path. */
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  /** All of it. */
  readonly environment: Readonly<Record<string, string>>
  /** Its standard input; it need not read it. */
  readonly input: string
  readonly timeoutMs: number
  /** How much of its output is kept; what came before is forgotten. */
  readonly outputBytes: number
  readonly signal?: AbortSignal | undefined
  /** Called with each piece of its standard output. */
  readonly onOutput?: (piece: Buffer) => void
}

export interface ScriptEnd {
  readonly code: number | undefined
  readonly signal: NodeJS.Signals | undefined
  /** It could not be started. */
  readonly error: NodeJS.ErrnoException | undefined
  /** Why it was ended; undefined: it ended by itself. */
  readonly ended: 'timeout' | 'cancelled' | undefined
  /** Both outputs, as they came. */
  readonly output: Buffer
  /** Whether there was more. */
  readonly isCut: boolean
}

/** Between SIGTERM and SIGKILL. */
const graceMs = 2000
/** How long what it left running may still print. */
const drainMs = 500

/**
 * Becomes the script, and leaves a watcher in its process group: when this process is killed, the other end of 3 is closed
 * without a word, and the watcher ends the group. So no hook works on while what it belongs to is undone.
 */
const becomeScript = '(read -r over <&3 || kill -KILL 0) >/dev/null 2>&1 & exec "$0" "$@" 3<&-'

/**
 * Runs a script as the leader of a process group of its own, so that all that it started can be ended with it. What it
 * leaves running in the background when it ends by itself keeps running, but is not listened to any longer.
 */
export async function runScript(call: ScriptCall): Promise<ScriptEnd> {
  const { input, timeoutMs, outputBytes, signal } = call
  const tail = createTail(outputBytes)
  const none = { code: undefined, signal: undefined, error: undefined, ended: undefined }
  if (signal?.aborted) return { ...none, ended: 'cancelled', ...tail.content() }
  let child: ReturnType<typeof start>
  try {
    child = start(call)
  } catch (error) {
    return { ...none, error: error as NodeJS.ErrnoException, ...tail.content() }
  }
  const [stdin, stdout, stderr, watcher] = child.stdio as unknown as readonly [Writable, Readable, Readable, Duplex]
  stdout.on('data', tail.add)
  if (call.onOutput) stdout.on('data', call.onOutput)
  stderr.on('data', tail.add)
  // It may end without having read it.
  stdin.on('error', () => undefined)
  stdin.end(input)
  watcher.on('error', () => undefined)

  return new Promise((resolve) => {
    let ended: ScriptEnd['ended']
    let error: NodeJS.ErrnoException | undefined
    let killing: NodeJS.Timeout | undefined
    let draining: NodeJS.Timeout | undefined
    const end = (why: 'timeout' | 'cancelled') => {
      if (ended) return
      ended = why
      signalGroup(child.pid, 'SIGTERM')
      killing = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs)
    }
    const onAbort = () => end('cancelled')
    const timer = setTimeout(() => end('timeout'), timeoutMs)
    signal?.addEventListener('abort', onAbort, { once: true })

    child.on('error', (failure) => (error = failure))
    child.on('exit', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      watcher.end('over\n')
      // Its group keeps its number for as long as one of it is left.
      if (ended) signalGroup(child.pid, 'SIGKILL')
      draining = setTimeout(() => {
        for (const stream of [stdout, stderr, watcher]) stream.destroy()
      }, drainMs)
    })
    child.on('close', (code, killedBy) => {
      for (const each of [timer, killing, draining]) clearTimeout(each)
      signal?.removeEventListener('abort', onAbort)
      stdin.destroy()
      const isStarted = error === undefined
      resolve({
        code: isStarted ? (code ?? undefined) : undefined,
        signal: killedBy ?? undefined,
        error,
        ended,
        ...tail.content(),
      })
    })
  })
}

function start({ file, args, folder, environment }: ScriptCall) {
  return spawn('/bin/sh', ['-c', becomeScript, file, ...args], {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // None of it is left.
  }
}

/** Keeps the end of what is added, in bounded memory. */
function createTail(limit: number) {
  const chunks: Buffer[] = []
  let length = 0
  let isCut = false
  return {
    add(chunk: Buffer) {
      chunks.push(chunk)
      length += chunk.length
      while (length - (chunks[0]?.length ?? 0) >= limit) {
        length -= chunks.shift()?.length ?? 0
        isCut = true
      }
    },
    content() {
      const whole = Buffer.concat(chunks)
      const output = whole.subarray(Math.max(0, whole.length - limit))
      return { output, isCut: isCut || output.length < whole.length }
    },
  }
}
