import { dirname } from 'node:path'
import type { SystemAccount } from '../../accounts/account.js'
import { comeFirst, unitCommand, unitText, unitWord } from '../../schedule/systemd-units.js'
import { socketPathOf } from '../instance-socket.js'
import type { Copy, InstanceRef, InstanceSpec } from '../runtime.js'
import type { UnitLimits } from './limits.js'

/** When a crashed application is started again. */
export interface UnitPolicy {
  /** Pause before, in seconds. */
  readonly pauseSeconds: number
  /** It is given up after that many starts within that many seconds. */
  readonly limit: number
  readonly withinSeconds: number
  /** How long it may take to end when the machine is shut down. */
  readonly stopSeconds: number
}

export interface UnitOptions {
  readonly copy: Copy
  /** Default: the user of the manager. */
  readonly account: SystemAccount | undefined
  /** Program and arguments, with those that Node is given. */
  readonly command: readonly string[]
  /** Absolute path of what Node loads before the application. */
  readonly guest: string
  /** Folder `run/` of the copy, with the script in it. */
  readonly run: string
  readonly script: string
  /** File with its environment. */
  readonly environment: string
  readonly policy: UnitPolicy
  readonly limits: Pick<UnitLimits, 'asked' | 'dataBytes'>
}

export function unitName({ id }: InstanceRef, copy: Copy): string {
  return `steward-instance-${id}-${copy}.service`
}

/** Unit of the socket that this one takes. */
export function socketUnitOf(unit: string): string {
  return unit.replace(/\.service$/, '.socket')
}

/** A line by which a unit is known to be of the instance in this folder. */
export function ownerLine(folder: string): string {
  return `# Of the instance in ${JSON.stringify(folder)}`
}

/**
 * Ends without an error are ends, too: an instance runs until it is stopped. `KillMode=mixed`: the application is asked
 * to end, and what it leaves behind is killed.
 */
export function unitTextOf(spec: InstanceSpec, options: UnitOptions): string {
  const { copy, account, command, run, script, environment, policy, limits } = options
  const shell = (what: string, ...args: readonly string[]) => unitCommand(['/bin/sh', script, what, run, ...args])
  const { memory = 0, cpu = 0, processes = 0, files = 0 } = limits.asked
  const sockets = spec.takesSockets ? [socketUnitOf(unitName(spec, copy))] : []
  return unitText([
    ownerLine(spec.folder),
    '[Unit]',
    `Description=Steward instance ${spec.id}, copy ${copy}`,
    `Wants=${['network-online.target', ...sockets].join(' ')}`,
    `After=${[...comeFirst, ...sockets].join(' ')}`,
    `StartLimitIntervalSec=${policy.withinSeconds}`,
    `StartLimitBurst=${policy.limit}`,
    '',
    '[Service]',
    'Type=exec',
    ...sockets.map((socket) => `Sockets=${socket}`),
    ...(account ? [`User=${account.name}`, `Group=${account.gid}`] : []),
    `EnvironmentFile=${environment}`,
    `ExecCondition=${shell('check')}`,
    `ExecStart=${shell('start', String(waitOf(policy)), spec.workingFolder, ...command)}`,
    `ExecStopPost=${shell('ended', ...(memory > 0 ? [String(memory)] : []))}`,
    'Restart=always',
    `RestartSec=${policy.pauseSeconds}`,
    `TimeoutStopSec=${policy.stopSeconds}`,
    'KillMode=mixed',
    'UMask=0077',
    // Else what is over the limit would be in the swap.
    ...(memory > 0 ? [`MemoryMax=${memory}M`, 'MemorySwapMax=0'] : []),
    ...(limits.dataBytes > 0 ? [`LimitDATA=${limits.dataBytes}`] : []),
    ...(cpu > 0 ? [`CPUQuota=${cpu}%`] : []),
    ...(processes > 0 ? [`TasksMax=${processes}`] : []),
    ...(files > 0 ? [`LimitNOFILE=${files}`] : []),
    ...hardening(spec, options),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ])
}

/** Seconds between two starts on a full disk, with which the limit is never reached. */
function waitOf({ limit, withinSeconds }: UnitPolicy): number {
  return Math.floor(withinSeconds / Math.max(1, limit - 1)) + 1
}

/**
 * The unit of its socket, which listens from the start of the instance to its stop. What connects while the instance starts
 * again waits for it.
 */
export function socketTextOf(spec: InstanceSpec, copy: Copy): string {
  return unitText([
    ownerLine(spec.folder),
    '[Unit]',
    `Description=Socket of Steward instance ${spec.id}, copy ${copy}`,
    '',
    '[Socket]',
    `ListenStream=${socketPathOf({ ...spec, copy })}`,
    // Any program of this machine may connect, as to a port.
    'SocketMode=0666',
    'DirectoryMode=0711',
    'RemoveOnStop=yes',
  ])
}

/**
 * What an application for Node can do without. `MemoryDenyWriteExecute` is none of it: V8 compiles to memory that it then
 * runs, and is killed. What lies in folders that these would hide or close is left reachable.
 */
function hardening(spec: InstanceSpec, { command, guest }: Pick<UnitOptions, 'command' | 'guest'>): readonly string[] {
  const paths = [spec.folder, spec.workingFolder, guest, ...command, ...(spec.needs ? [spec.needs] : [])]
  const isBelow = (...folders: readonly string[]) =>
    paths.some((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
  const isInHome = isBelow('/home', '/root', '/run/user')
  const isInTmp = isBelow('/tmp', '/var/tmp')
  const writable = new Set([spec.folder, ...(spec.needs ? [dirname(spec.needs)] : [])])
  return [
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'RestrictSUIDSGID=yes',
    'LockPersonality=yes',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    // Names of network interfaces are asked for by netlink.
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'SystemCallFilter=@system-service',
    'SystemCallErrorNumber=EPERM',
    'ProtectKernelTunables=yes',
    'ProtectKernelModules=yes',
    'ProtectControlGroups=yes',
    'ProtectSystem=strict',
    `ReadWritePaths=${[...writable, ...(isInTmp ? ['/tmp', '/var/tmp'] : [])].map((path) => unitWord(`-${path}`)).join(' ')}`,
    ...(isInTmp ? [] : ['PrivateTmp=yes']),
    ...(isInHome ? [] : ['ProtectHome=yes']),
  ]
}

/** As systemd reads a file of variables: quoted, lines and all. */
export function environmentText(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}="${value.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"\n`)
    .join('')
}
