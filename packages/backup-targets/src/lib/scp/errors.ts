import { TargetError, type TargetErrorCode } from '../target-error.js'
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

/** Why `ssh` ended by itself (exit code 255), as an error of a target. */
export function sshError(settings: SshSettings, output: string): TargetError {
  const said = output.trim()
  const code = sayings.find(([words]) => words.test(said))?.[1] ?? 'ERR_TARGET_UNREACHABLE'
  const server = serverName(settings)
  const reason = said === '' ? 'the connection ended' : lastLines(said)
  if (code === 'ERR_TARGET_IDENTITY') return identityError(settings, reason)
  const message =
    code === 'ERR_TARGET_REFUSED' ? `${server} lets nobody in with this user and key` : `Cannot work with ${server}`
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
