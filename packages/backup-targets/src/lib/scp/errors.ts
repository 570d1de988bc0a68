import { TargetError, type TargetErrorCode } from '../target-error.js'
import { SftpError, status } from './sftp/error.js'
import { shellWord } from './shell-word.js'
import { serverName, type SshSettings } from './settings.js'

/** What `ssh` says, and which failure that is; the first that fits. */
const sayings: readonly (readonly [RegExp, TargetErrorCode])[] = [
  [
    /host key verification failed|host identification has changed|host key is known|host key for .* has changed/i,
    'ERR_TARGET_IDENTITY',
  ],
  [
    /bad configuration option|bad owner or permissions|terminating, \d+ bad|no matching .* found|bad port|invalid format|error in libcrypto/i,
    'ERR_TARGET_SETTINGS',
  ],
  [
    /permission denied|too many authentication failures|no more authentication methods|unprotected private key|account is (?:locked|not available)/i,
    'ERR_TARGET_REFUSED',
  ],
]

const codes: Readonly<Record<number, TargetErrorCode>> = {
  [status.noSuchFile]: 'ERR_TARGET_NOT_FOUND',
  [status.permissionDenied]: 'ERR_TARGET_REFUSED',
  [status.connectionLost]: 'ERR_TARGET_UNREACHABLE',
  [status.fileExists]: 'ERR_TARGET_EXISTS',
  [status.noSpace]: 'ERR_TARGET_FULL',
  [status.quotaExceeded]: 'ERR_TARGET_FULL',
}

/** An answer to a request of SFTP as an error of a target. Others are passed on. */
export function sftpError(error: unknown, attempt: string): unknown {
  if (!(error instanceof SftpError)) return error
  const code = codes[error.status] ?? 'ERR_TARGET_FAILED'
  return new TargetError(code, `${attempt}: the server says "${error.message}".`, { cause: error })
}

/** What a shell exits with when it does not find a program. */
const noSuchProgram = 127

/** Why SFTP has ended, or never started. */
export function sessionError(
  settings: SshSettings,
  { error, exitCode, output }: { error: TargetError | undefined; exitCode: number | undefined; output: string },
): TargetError {
  const server = serverName(settings)
  if (exitCode === noSuchProgram || /subsystem request failed/i.test(output)) {
    return new TargetError('ERR_TARGET_SETTINGS', `${server} has no SFTP, which this target needs.`, {
      help:
        'Turn it on there. OpenSSH: the line "Subsystem sftp internal-sftp" in sshd_config. ' +
        'Dropbear: install the package openssh-sftp-server. A NAS: SFTP in its file services.',
    })
  }
  const lost = `${server} ended SFTP (exit code ${exitCode}): ${lastLines(output)}`
  return error ?? new TargetError('ERR_TARGET_UNREACHABLE', lost)
}

/** Why `ssh` ended by itself (exit code 255), as an error of a target. */
export function sshError(settings: SshSettings, output: string): TargetError {
  const said = output.trim()
  const code = sayings.find(([words]) => words.test(said))?.[1] ?? 'ERR_TARGET_UNREACHABLE'
  const server = serverName(settings)
  const reason = said === '' ? 'the connection ended' : lastLines(said)
  if (code === 'ERR_TARGET_IDENTITY') return identityError(settings, reason)
  const message = code === 'ERR_TARGET_REFUSED' ? `${server} refuses this user and key` : `Cannot work with ${server}`
  return new TargetError(code, `${message}: ${reason}`)
}

function identityError(settings: SshSettings, reason: string): TargetError {
  const { host, port } = settings
  const knownHosts = settings.knownHosts === undefined ? '~/.ssh/known_hosts' : shellWord(settings.knownHosts)
  const name = port === undefined || port === 22 ? host : `[${host}]:${port}`
  const scan = `ssh-keyscan ${port === undefined ? '' : `-p ${port} `}${host} >> ${knownHosts}`
  return new TargetError(
    'ERR_TARGET_IDENTITY',
    `The host key of ${serverName(settings)} is not the known one: ${reason}`,
    {
      help:
        `Ask who runs the server for the fingerprint of its key. Then remove the old key, if there is one, ` +
        `by: ssh-keygen -f ${knownHosts} -R '${name}'; add the new one by: ${scan}; ` +
        `and compare it by: ssh-keygen -l -f ${knownHosts} -F '${name}'`,
    },
  )
}

/** The end of what a program said, in one line. */
export function lastLines(output: string): string {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^@+/.test(line))
  return lines.slice(-3).join(' / ').slice(-500)
}
