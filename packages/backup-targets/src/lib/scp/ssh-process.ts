import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { TargetError } from '../target-error.js'
import { sshError } from './errors.js'
import { sshArguments, type SshSettings } from './settings.js'

/** `ssh` that runs something on the server. */
export interface SshProcess {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves when it has ended and all that it printed is read; never rejects. */
  readonly ended: Promise<SshEnd>
  /** Ends it. */
  kill(): void
}

export interface SshEnd {
  /** How the program on the server ended; undefined: none ran, `ssh` ended itself. */
  readonly exitCode: number | undefined
  /** The last of what came on stderr. */
  readonly output: string
  /** Why `ssh` ended by itself. */
  readonly error: TargetError | undefined
}

/** How much is kept from stderr. */
const keptCharacters = 4096

/** Starts `ssh` that runs `sftp`, or a command over the log-in of one that does. */
export function startSsh(
  settings: SshSettings,
  run: { readonly subsystem: 'sftp' } | { readonly command: string },
): SshProcess {
  const isMaster = 'subsystem' in run
  const [flag, word] = isMaster ? ['-s', run.subsystem] : ['-T', run.command]
  const { environment } = settings.context
  const child = spawn('ssh', [...sshArguments(settings, isMaster), flag, '--', settings.host, word], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...environment, LC_ALL: 'C' },
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output = (output + chunk).slice(-keptCharacters)))
  // Why writing failed is known when it has ended.
  child.stdin.on('error', () => {})
  const ended = new Promise<SshEnd>((resolve) => {
    child.once('error', (error) => resolve({ exitCode: undefined, output, error: noProgram(error) }))
    child.once('close', (code) => {
      const exitCode = code === null || code === 255 ? undefined : code
      resolve({ exitCode, output, error: exitCode === undefined ? sshError(settings, output) : undefined })
    })
  })
  return { child, ended, kill: () => child.kill('SIGKILL') }
}

function noProgram(error: NodeJS.ErrnoException): TargetError {
  if (error.code === 'ENOENT') {
    const help = 'On Debian it is installed by: apt-get install openssh-client'
    return new TargetError('ERR_TARGET_SETTINGS', 'The program ssh is not installed.', { cause: error, help })
  }
  return new TargetError('ERR_TARGET_SETTINGS', `The program ssh cannot be started: ${error.message}`, { cause: error })
}
