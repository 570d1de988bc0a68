import { ManagerError } from '@steward/manager-core/errors'

/** A program in a pseudo-terminal: the part of node-pty that is used, whose types an installation without it lacks. */
export interface PtyProcess {
  readonly pid: number
  write(data: string): void
  resize(columns: number, rows: number): void
  kill(signal?: string): void
  pause(): void
  resume(): void
  onData(listener: (data: string) => void): unknown
  onExit(listener: (end: { exitCode: number; signal?: number }) => void): unknown
}

export interface PtyOptions {
  /** Type of the terminal, `TERM`. */
  readonly name?: string
  readonly cols?: number
  readonly rows?: number
  readonly cwd: string
  /** null: what it prints comes as bytes. */
  readonly encoding?: string | null
  /** Default: that of this process. */
  readonly env?: { [name: string]: string | undefined }
}

export interface Pty {
  spawn(file: string, args: string[], options: PtyOptions): PtyProcess
}

/**
 * The optional package that makes pseudo-terminals.
 *
 * @throws ManagerError ERR_STATE when it is not there, or does not work on this system
 */
export async function loadPty(): Promise<Pty> {
  // Its binary needs glibc; on musl it would load, and take the server down with the first terminal.
  if (process.platform === 'linux' && !hasGlibc())
    throw new ManagerError('ERR_STATE', 'Terminals need a system with glibc.', { help: 'Use SSH.' })
  try {
    return await import('@lydell/node-pty')
  } catch (error) {
    throw new ManagerError('ERR_STATE', 'Terminals need the optional package @lydell/node-pty, which does not load.', {
      cause: error,
      help: 'Install the manager with its optional packages.',
    })
  }
}

let glibc: boolean | undefined

function hasGlibc(): boolean {
  if (glibc !== undefined) return glibc
  // Names of all peers would be looked up.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } }
  return (glibc = header?.glibcVersionRuntime !== undefined)
}
