import { TargetError } from '../target-error.js'
import { sha256OfNothing, type RemoteFiles } from '../remote-files/remote-files.js'
import { commandFiles, shellCommand } from './command-files.js'
import { runCommand, shellWord } from './run-command.js'
import { SharedConnection } from './shared-connection.js'
import { NoSftpError, SftpSession } from './sftp/sftp-session.js'
import { sftpFiles } from './sftp/sftp-files.js'
import { lastLines } from './ssh-error.js'
import { serverName, type SshSettings } from './ssh-settings.js'

/** SFTP where the server has it, else commands; and what it can do besides. */
export async function connectFiles(settings: SshSettings): Promise<RemoteFiles> {
  const sessions = new SharedConnection(() => new SftpSession(settings))
  const canHash = hasSha256sum(settings)
  canHash.catch(() => {})
  try {
    const { connection, release } = await sessions.lease()
    const movesExclusively = connection.client.has('hardlink@openssh.com')
    release(false)
    const hash = (path: string, signal?: AbortSignal) => sha256sum(settings, path, signal)
    return sftpFiles(sessions, { movesExclusively, hash: (await canHash) ? hash : undefined })
  } catch (error) {
    sessions.close()
    if (!(error instanceof NoSftpError)) throw error
    if (!(await canHash)) await checkShell(settings)
    return commandFiles(settings, { canHash: await canHash })
  }
}

async function checkShell(settings: SshSettings): Promise<void> {
  const { stdout, output } = await runCommand(settings, shellCommand(settings, 'echo "$1"', ['ready']))
  if (stdout === 'ready\n') return
  const message = `${serverName(settings)} has no SFTP and runs no commands: ${lastLines(stdout + output)}`
  throw new TargetError('ERR_TARGET_SETTINGS', message)
}

/** Servers that are for files only run no commands. */
async function hasSha256sum(settings: SshSettings): Promise<boolean> {
  const { stdout } = await runCommand(settings, 'sha256sum /dev/null')
  return sumIn(stdout) === sha256OfNothing
}

async function sha256sum(settings: SshSettings, path: string, signal?: AbortSignal): Promise<string> {
  const { stdout, output } = await runCommand(settings, `sha256sum ${shellWord(path)}`, { signal })
  const sum = sumIn(stdout)
  if (sum !== undefined) return sum
  throw new TargetError('ERR_TARGET_FAILED', `${serverName(settings)} cannot hash ${path}: ${lastLines(output)}`)
}

/** In front of paths with special characters there is a backslash. */
function sumIn(output: string): string | undefined {
  return /^\\?([0-9a-f]{64})\b/.exec(output)?.[1]
}
