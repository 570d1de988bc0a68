import type { Readable, Writable } from 'node:stream'

/** What the command line has around it; a test brings its own. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & TerminalSize
  readonly stderr: Writable & TerminalSize
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Where SIGINT, SIGTERM and SIGHUP are heard. */
  readonly signals: Signals
}

export interface Signals {
  on(signal: NodeJS.Signals, listener: () => void): unknown
  off(signal: NodeJS.Signals, listener: () => void): unknown
}

interface TerminalSize {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

export function surroundingsOf(given: Partial<Surroundings> = {}): Surroundings {
  const { stdin = process.stdin, stdout = process.stdout, stderr = process.stderr } = given
  const { env = process.env, cwd = process.cwd(), signals = process } = given
  return { stdin, stdout, stderr, env, cwd, signals }
}
