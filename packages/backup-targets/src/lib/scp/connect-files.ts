import { TargetError } from '../target-error.js'
import { sha256OfNothing, type RemoteFiles } from '../remote-files/remote-files.js'
import { commandFiles, shellCommand } from './command-files.js'
import { withFastCiphers } from './fast-ciphers.js'
import { runCommand } from './run-command.js'
import { shellWord } from './shell-word.js'
import { SharedConnection } from './shared-connection.js'
import { NoSftpError, SftpSession } from './session.js'
import { canLink, sftpFiles } from './files.js'
import { lastLines } from './errors.js'
import { SshMaster } from './ssh-master.js'
import { serverName, type SshSettings } from './settings.js'

/** Best first: the `sha256sum` of some systems, such as Debian 12, is several times slower than OpenSSL. */
const hashers = ['openssl dgst -sha256 -r', 'sha256sum']

/** SFTP where the server has it, else commands; and what it can do besides. */
export async function connectFiles(given: SshSettings): Promise<RemoteFiles> {
  const settings = await withFastCiphers(given)
  const sessions = new SharedConnection(() => new SftpSession(settings))
  try {
    return await sessions.use(undefined, async (session) => {
      const [movesExclusively, hasher] = await Promise.all([canLink(session), hasherOf(session)])
      return sftpFiles(sessions, { movesExclusively, hash: hasher === undefined ? undefined : hashWith(hasher) })
    })
  } catch (error) {
    sessions.close()
    if (!(error instanceof NoSftpError)) throw error
    return connectCommands(settings)
  }
}

async function connectCommands(settings: SshSettings): Promise<RemoteFiles> {
  const { stdout, output } = await runCommand(settings, shellCommand(settings, 'echo "$1"', ['ready']))
  if (!stdout.endsWith('ready\n')) {
    const message = `${serverName(settings)} has no SFTP and runs no commands: ${lastLines(stdout + output)}`
    throw new TargetError('ERR_TARGET_SETTINGS', message)
  }
  const masters = new SharedConnection(() => new SshMaster(settings))
  try {
    return commandFiles(settings, { masters, hasher: await masters.use(undefined, (master) => hasherOf(master)) })
  } catch (error) {
    masters.close()
    throw error
  }
}

/** The first of them that the server runs as it must; undefined: servers that are for files only run no commands. */
async function hasherOf({ settings }: SftpSession | SshMaster): Promise<string | undefined> {
  for (const hasher of hashers) {
    const { stdout } = await runCommand(settings, `${hasher} /dev/null`)
    if (sumIn(stdout) === sha256OfNothing) return hasher
  }
  return undefined
}

function hashWith(hasher: string) {
  return async ({ settings }: SftpSession, path: string, signal?: AbortSignal): Promise<string> => {
    const { stdout, output } = await runCommand(settings, `${hasher} ${shellWord(path)}`, { signal })
    const sum = sumIn(stdout)
    if (sum !== undefined) return sum
    throw new TargetError('ERR_TARGET_FAILED', `${serverName(settings)} cannot hash ${path}: ${lastLines(output)}`)
  }
}

/** In front of paths with special characters there is a backslash. */
function sumIn(output: string): string | undefined {
  return /^\\?([0-9a-f]{64})\b/.exec(output)?.[1]
}
