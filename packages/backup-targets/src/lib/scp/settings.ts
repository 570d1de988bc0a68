import { accessSync, constants } from 'node:fs'
import { TargetError } from '../target-error.js'
import type { TargetContext } from '../target-type.js'
import { remoteFolder } from '../remote-files/path.js'
import { addressText, serverAddress, type ServerAddress } from '../remote-files/server-address.js'

/** How to come to the server, checked. */
export interface SshSettings extends ServerAddress {
  readonly user: string | undefined
  readonly folder: string
  /** Files; undefined: what `ssh` uses by itself. */
  readonly key: string | undefined
  readonly knownHosts: string | undefined
  /** In this order; undefined: those of `ssh_config`. */
  readonly ciphers?: string
  /** Socket of a connection that commands go over. */
  readonly controlPath?: string
  readonly context: TargetContext
}

/** @throws TargetError ERR_TARGET_SETTINGS */
export function readSettings(options: Readonly<Record<string, string>>, context: TargetContext): SshSettings {
  const { user, path, key, known_hosts: knownHosts } = options
  if (user !== undefined && !/^[^\s\-:@/"'\\][^\s:@/"'\\]*$/.test(user))
    throw new TargetError('ERR_TARGET_SETTINGS', `${JSON.stringify(user)} is not a valid user name.`)
  checkFile('key', key)
  checkFile('known_hosts', knownHosts)
  return { ...serverAddress(options), user, folder: remoteFolder(path), key, knownHosts, context }
}

function checkFile(option: string, path: string | undefined): void {
  if (path === undefined) return
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is not there' : 'cannot be read'
    throw new TargetError('ERR_TARGET_SETTINGS', `The file ${JSON.stringify(path)} of "${option}" ${reason}.`)
  }
}

/** For messages: `backup@host:22`. */
export function serverName({ user, ...address }: SshSettings): string {
  return `${user === undefined ? '' : `${user}@`}${addressText(address)}`
}

/** The arguments of `ssh` before the host: nothing is asked, nothing else is done with the connection. */
export function sshArguments(settings: SshSettings, isMaster: boolean): string[] {
  const { port, user, key, knownHosts, ciphers, controlPath, context } = settings
  const seconds = Math.max(1, Math.ceil(context.idleMs / 1000))
  const given: Record<string, string | number> = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    LogLevel: 'ERROR',
    ConnectTimeout: seconds,
    // A server that is silent for this long is gone.
    ServerAliveInterval: Math.ceil(seconds / 3),
    ServerAliveCountMax: 3,
    // Whatever ssh_config asks for: nothing outlives us.
    ControlMaster: isMaster ? 'yes' : 'no',
    ControlPersist: 'no',
    ...(controlPath === undefined ? {} : { ControlPath: quoted(controlPath) }),
    ...(ciphers === undefined ? {} : { Ciphers: ciphers }),
    ClearAllForwardings: 'yes',
    ForwardAgent: 'no',
    ForwardX11: 'no',
    PermitLocalCommand: 'no',
    RequestTTY: 'no',
    ...(knownHosts === undefined
      ? {}
      : { UserKnownHostsFile: quoted(knownHosts), GlobalKnownHostsFile: 'none', UpdateHostKeys: 'no' }),
    ...(key === undefined ? {} : { IdentitiesOnly: 'yes' }),
  }
  return [
    ...Object.entries(given).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(user === undefined ? [] : ['-l', user]),
    ...(key === undefined ? [] : ['-i', key.replaceAll('%', '%%')]),
  ]
}

/** A path in the syntax of `ssh_config`. */
function quoted(path: string): string {
  return `"${path.replaceAll('%', '%%').replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
