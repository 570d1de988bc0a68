import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { accountAt } from '../../accounts/account.js'
import { instanceHomeAt } from '../../domain/home.js'
import { runFolderOf, servingCopy } from '../copies.js'
import { commandOf, guest, type RestartPolicy } from '../launch.js'
import { usualMemory } from '../limits/confine.js'
import { isNode } from '../limits/heap.js'
import { applicationLog } from '../look.js'
import type { InstanceSpec } from '../runtime.js'
import type { Image } from './image.js'
import { containerName, homeIdIn, labels } from './names.js'
import { isBelow, programFolders, realPath, withoutNested } from './program-folders.js'
import { userOf } from './who.js'

/** In `run/`, beside the supervisor. */
export const entryName = 'container.sh'
export const environmentName = 'environment'

/** What an engine is asked for. Names are the engine's. */
export interface ContainerBody {
  readonly Image: string
  readonly Labels: Readonly<Record<string, string>>
  readonly [name: string]: unknown
}

export interface BodyOptions {
  readonly image: Image
  /** `host`, or the name of a network of the engine. */
  readonly network: string
  readonly policy: RestartPolicy
}

/** Processes and threads in a container when no limit is set. */
const usualProcesses = 1024

/**
 * When the engine starts a container again. What crashes in it is started again there, as everywhere; this is for the
 * container as a whole, and for a boot, after which the engine would start those again that were stopped on purpose, too.
 */
export const restarts = {
  never: { Name: 'no', MaximumRetryCount: 0 },
  always: { Name: 'on-failure', MaximumRetryCount: 0 },
} as const

/** What counts memory, CPU and processes of a container. */
export const engineCgroups = { folder: '', limits: new Set(['memory', 'cpu', 'processes'] as const) }

/** Megabytes that a container may use; 0: no limit. */
export function memoryOf({ limits }: InstanceSpec): number {
  return limits?.memory ?? usualMemory()
}

/** The container of an instance: nothing in it is secret. */
export function bodyOf(spec: InstanceSpec, { image, network, policy }: BodyOptions): ContainerBody {
  const { folder, port, limits = {} } = spec
  const copy = spec.copy ?? servingCopy(folder)
  const home = instanceHomeAt(folder)
  const run = runFolderOf(spec)
  const { uid, gid } = userOf(folder)
  const megabytes = memoryOf(spec)
  const isOnHost = network === 'host'
  const portKey = `${port}/tcp`
  const body = {
    Image: image.name,
    Entrypoint: ['/bin/sh', join(run, entryName)],
    Cmd: [
      run,
      applicationLog(folder),
      String(megabytes),
      String(limits.files ?? 0),
      policy.pauses.join(' '),
      String(policy.steadySeconds),
      String(policy.limit),
      ...programOf(spec),
    ],
    WorkingDir: spec.workingFolder,
    User: `${uid}:${gid}`,
    StopSignal: 'SIGTERM',
    Healthcheck: healthOf(spec),
    ...(!isOnHost && { ExposedPorts: { [portKey]: {} } }),
    HostConfig: {
      NetworkMode: network,
      ...(!isOnHost && { PortBindings: { [portKey]: [{ HostIp: '127.0.0.1', HostPort: String(port) }] } }),
      Mounts: [
        { Type: 'bind', Source: spec.workingFolder, Target: spec.workingFolder, ReadOnly: true },
        ...[home.data, home.logs, home.run].map((each) => ({ Type: 'bind', Source: each, Target: each })),
        ...programsOf(spec, image).map((each) => ({ Type: 'bind', Source: each, Target: each, ReadOnly: true })),
      ],
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': 'rw,nosuid,nodev,mode=1777' },
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: limits.processes || usualProcesses,
      ...(megabytes > 0 && { Memory: megabytes * 2 ** 20, MemorySwap: megabytes * 2 ** 20 }),
      // In microseconds; more than the machine has is not an error.
      ...(limits.cpu && { CpuPeriod: 100_000, CpuQuota: limits.cpu * 1000 }),
      RestartPolicy: restarts.never,
      // The application has a log of its own; this has what is said before that is open.
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  }
  const made = createHash('sha256')
    .update(JSON.stringify([image.id, body]))
    .digest('hex')
  return {
    ...body,
    Labels: {
      [labels.home]: homeIdIn(dirname(folder)),
      [labels.instance]: spec.id,
      [labels.copy]: copy,
      [labels.folder]: folder,
      [labels.made]: made,
    },
  }
}

export function nameOf(spec: InstanceSpec): string {
  return containerName(spec, spec.copy ?? servingCopy(spec.folder))
}

/** The image's own Node with the manager's programs, which are where they are outside. */
function programOf(spec: InstanceSpec): readonly string[] {
  const [program = '', ...args] = commandOf(spec, { account: accountAt(spec.folder), base: engineCgroups })
  return [
    isNode(program) ? 'node' : program,
    ...args.map((each) => (spec.command.includes(each) ? realPath(each) : each)),
  ]
}

/** Folders of the manager's programs that the command needs, and that the image has not. */
function programsOf({ command, folder, workingFolder }: InstanceSpec, { programs = folder }: Image): readonly string[] {
  const [, script = ''] = command
  const real = [realPath(fileURLToPath(guest)), ...(script.startsWith('/') ? [realPath(script)] : [])]
  const there = [folder, realPath(workingFolder), programs]
  const outside = real.filter((each) => !there.some((one) => isBelow(each, one)))
  return withoutNested(outside.flatMap((each) => programFolders(each, realPath(folder))))
}

/** For people who look at the engine; the manager asks the instance itself. In nanoseconds. */
function healthOf({ port }: InstanceSpec): object {
  const ask =
    `require('node:http').get({host:'127.0.0.1',port:${port},path:'/health',agent:false},` +
    `r=>process.exit(r.statusCode===200?0:1)).on('error',()=>process.exit(1))`
  const second = 1e9
  return {
    Test: ['CMD', 'node', '-e', ask],
    Interval: 60 * second,
    Timeout: 10 * second,
    Retries: 3,
    StartPeriod: 60 * second,
  }
}
