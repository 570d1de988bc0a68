import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Pty } from '@steward/manager-server/pty'
import { exitCodeOf, type Launch } from './launch.js'
import type { Surroundings } from './surroundings.js'

/** How long what a program has left running may still print when that goes through pipes, in ms. */
const drainMs = 500
/** Signals that end a command: the program is ended instead, and the terminal is put in order. */
const ending = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/**
 * Runs a program of another account in a pseudo-terminal of its own. With the terminal of the caller it could type into it
 * (`TIOCSTI`), and read what is typed there after it has ended: as the caller, who is root.
 *
 * @returns its exit code
 */
export async function runInOwnTerminal(launch: Launch, surroundings: Surroundings): Promise<number> {
  const { stdin, stdout, stderr, signals } = surroundings
  let pty: Pty
  try {
    const { loadPty } = await import('@steward/manager-server/pty')
    pty = await loadPty()
  } catch (error) {
    stderr.write(`Warning: It runs without a terminal: ${(error as Error).message}\n`)
    return runApart(launch, surroundings)
  }
  const terminal = pty.spawn(launch.command, [...launch.args], {
    name: launch.environment['TERM'] ?? 'xterm',
    ...sizeOf(stdout),
    cwd: launch.folder,
    // Bytes: characters may be cut anywhere.
    encoding: null,
    env: launch.environment,
  })
  const type = (keys: Buffer | string) => terminal.write(keys as string)
  const fit = () => {
    const { cols, rows } = sizeOf(stdout)
    try {
      terminal.resize(cols, rows)
    } catch {
      // It has ended.
    }
  }
  const hangUp = () => {
    try {
      terminal.kill('SIGHUP')
    } catch {
      // It has ended.
    }
  }
  const ignore = () => {}
  const ended = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode))
  })
  terminal.onData((text) => {
    if (stdout.write(text)) return
    terminal.pause()
    stdout.once('drain', () => terminal.resume())
  })
  const { setRawMode } = stdin as { setRawMode?: (isRaw: boolean) => void }
  // Keys such as Ctrl-C are for the program: its own terminal makes signals of them.
  setRawMode?.call(stdin, true)
  stdin.on('data', type)
  stdin.once('end', hangUp)
  stdout.on('resize', fit)
  signals.on('SIGINT', ignore)
  for (const signal of ending) signals.on(signal, hangUp)
  try {
    return await ended
  } finally {
    for (const signal of ending) signals.off(signal, hangUp)
    signals.off('SIGINT', ignore)
    stdout.off('resize', fit)
    stdin.off('end', hangUp)
    stdin.off('data', type)
    setRawMode?.call(stdin, false)
    stdin.pause()
  }
}

/**
 * Runs a program of another account in a session of its own, where it has no terminal. What is a terminal of the caller is
 * passed on through pipes: a process that has a terminal open can read what is typed into it.
 *
 * @returns its exit code
 */
export async function runApart(launch: Launch, { stdin, stdout, stderr, signals }: Surroundings): Promise<number> {
  const how = (stream: { readonly isTTY?: boolean }) => (stream.isTTY ? 'pipe' : 'inherit')
  const child = spawn(launch.command, launch.args, {
    cwd: launch.folder,
    env: launch.environment,
    stdio: [launch.input ?? how(stdin), how(stdout), how(stderr)],
    detached: true,
  })
  const pass = (signal: NodeJS.Signals) => () => {
    try {
      process.kill(-(child.pid as number), signal)
    } catch {
      // It has ended, or was not started.
    }
  }
  const passes = (['SIGINT', ...ending] as const).map((signal) => [signal, pass(signal)] as const)
  for (const [signal, listener] of passes) signals.on(signal, listener)
  if (child.stdin) {
    child.stdin.on('error', () => undefined)
    stdin.pipe(child.stdin)
  }
  show(child.stdout, stdout)
  show(child.stderr, stderr)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', () =>
        setTimeout(() => [child.stdout, child.stderr].map((one) => one?.destroy()), drainMs).unref(),
      )
      child.once('close', (code, signal) => resolve(exitCodeOf(code, signal)))
    })
  } finally {
    for (const [signal, listener] of passes) signals.off(signal, listener)
    if (child.stdin) {
      stdin.unpipe(child.stdin)
      stdin.pause()
    }
  }
}

function show(from: Readable | null, to: NodeJS.WritableStream): void {
  from?.pipe(to, { end: false })
}

function sizeOf({ columns = 80, rows = 24 }: { readonly columns?: number; readonly rows?: number }) {
  return { cols: columns || 80, rows: rows || 24 }
}
