import { TargetError } from '../target-error.js'
import { sha256OfNothing, type RemoteFiles } from '../remote-files/remote-files.js'
import { runCommand, shellWord } from './run-command.js'
import { SharedConnection } from './shared-connection.js'
import { NoSftpError, SftpSession } from './sftp/sftp-session.js'
import { sftpFiles } from './sftp/sftp-files.js'
import { lastLines } from './ssh-error.js'
import { serverName, type SshSettings } from './ssh-settings.js'

/** SFTP where the server has it, and what it can do besides. */
export async function connectFiles(settings: SshSettings): Promise<RemoteFiles> {
  const sessions = new SharedConnection(() => new SftpSession(settings))
  const hasSha256sum = canHash(settings)
  hasSha256sum.catch(() => {})
  try {
    const { connection, release } = await sessions.lease()
    const movesExclusively = connection.client.has('hardlink@openssh.com')
    release(false)
    const hash = (await hasSha256sum)
      ? (path: string, signal?: AbortSignal) => sha256sum(settings, path, signal)
      : undefined
    return sftpFiles(sessions, { movesExclusively, hash })
  } catch (error) {
    sessions.close()
    if (!(error instanceof NoSftpError)) throw error
    throw new TargetError('ERR_TARGET_SETTINGS', `${serverName(settings)} has no SFTP.`)
  }
}

/** Servers that are for files only run no commands. */
async function canHash(settings: SshSettings): Promise<boolean> {
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
