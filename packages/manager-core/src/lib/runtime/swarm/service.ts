import { networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import { languageEnvironment } from '../../accounts/environment.js'
import { instanceHomeAt } from '../../domain/home.js'
import { servingCopy } from '../copies.js'
import { engineCgroups, nameOf } from '../container/body.js'
import { homeIdIn, labels } from '../container/names.js'
import type { RestartPolicy } from '../launch.js'
import { heapOf, isNode } from '../limits/heap.js'
import type { LimitInForce } from '../limits/limits.js'
import type { InstanceSpec } from '../runtime.js'
import { dataFolder, entryScript, environmentSecret, temporaryFolder, tokenSecret } from './entry-script.js'
import { appFolder, type AppImage } from './image.js'
import { swarmLabels } from './names.js'
import type { ServiceSpec } from './tasks.js'

export interface SecretReference {
  readonly SecretID: string
  readonly SecretName: string
}

export interface ServiceOptions {
  readonly manager: string
  readonly image: AppImage
  readonly policy: RestartPolicy
  /** How long the engine lets a task finish. */
  readonly graceMs: number
  readonly secrets: { readonly environment: SecretReference; readonly token?: SecretReference | undefined }
  /** Which start it is. */
  readonly start: number
  /** That it replaces the tasks of another one, and how long each is watched, in ms. Absent: there are none. */
  readonly roll?: { readonly id: string; readonly windowMs: number } | undefined
  /** CPU that the smallest node has, in billionths: an engine refuses a limit above what there is. */
  readonly smallestCpu: number
}

/** The user of the applications: an account without rights on every machine. */
const user = 10_001
const usualProcesses = 1024
const second = 1e9

/** Labels of all that is there for a copy of an instance. */
export function labelsOf(spec: InstanceSpec, manager: string): Readonly<Record<string, string>> {
  return {
    [swarmLabels.manager]: manager,
    [labels.home]: homeIdIn(dirname(spec.folder)),
    [labels.instance]: spec.id,
    [labels.copy]: spec.copy ?? servingCopy(spec.folder),
    [labels.folder]: spec.folder,
  }
}

/** The service of a copy of an instance: nothing in it is secret. */
export function serviceOf(spec: InstanceSpec, options: ServiceOptions): ServiceSpec {
  const { limits = {}, swarm } = spec
  const { manager, image, policy, graceMs, secrets, start, roll, smallestCpu } = options
  const replicas = swarm?.replicas ?? 1
  const cpu = limits.cpu ? Math.min(limits.cpu * 1e7, smallestCpu) : 0
  const known = {
    ...labelsOf(spec, manager),
    [swarmLabels.limits]: JSON.stringify(limitsInForce(spec)),
    ...(roll && { [swarmLabels.roll]: roll.id }),
  }
  // One that only starts has nothing to go back to.
  const FailureAction = roll ? 'rollback' : 'continue'
  const Monitor = Math.max(roll?.windowMs ?? 0, 1000) * 1e6
  return {
    Name: nameOf(spec),
    Labels: known,
    Mode: { Replicated: { Replicas: replicas } },
    TaskTemplate: {
      ForceUpdate: start,
      ContainerSpec: {
        Image: image.reference,
        Labels: labelsOf(spec, manager),
        Command: ['/bin/sh', '-c', entryScript, 'steward', String(limits.files ?? 0), dataFolder],
        Args: programOf(spec, image),
        Dir: appFolder,
        User: `${user}:${user}`,
        ReadOnly: true,
        CapabilityDrop: ['ALL'],
        StopSignal: 'SIGTERM',
        StopGracePeriod: graceMs * 1e6,
        Mounts: [temporaryFolder, '/tmp'].map((each) => ({
          Type: 'tmpfs',
          Target: each,
          TmpfsOptions: { Mode: 0o1777 },
        })),
        Secrets: [
          secretFile(secrets.environment, environmentSecret),
          ...(secrets.token ? [secretFile(secrets.token, tokenSecret)] : []),
        ],
        Healthcheck: replicas > 1 ? healthOf(spec) : { Test: ['NONE'] },
      },
      Resources: {
        Limits: {
          ...(limits.memory && { MemoryBytes: limits.memory * 2 ** 20 }),
          ...(cpu > 0 && { NanoCPUs: cpu }),
          Pids: limits.processes || usualProcesses,
        },
      },
      RestartPolicy: {
        Condition: 'any',
        Delay: (policy.pauses[0] ?? 1) * second,
        MaxAttempts: policy.limit - 1,
        Window: policy.steadySeconds * second,
      },
      Placement: { Constraints: [...(swarm?.placement ?? [])] },
      // What the manager has not collected yet.
      LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '2' } },
    },
    UpdateConfig: { Parallelism: 1, Order: 'start-first', FailureAction, Monitor, MaxFailureRatio: 0 },
    RollbackConfig: { Parallelism: 1, Order: 'start-first', Monitor: second },
    // A node chooses a port that is free there; the relay asks which.
    EndpointSpec: { Mode: 'dnsrr', Ports: [{ Protocol: 'tcp', PublishMode: 'host', TargetPort: spec.port }] },
  }
}

/** What the application finds in its environment; of its own variables none is changed but where it listens. */
export function environmentOf(spec: InstanceSpec): Readonly<Record<string, string>> {
  const trusted = spec.environment['STEWARD_TRUSTED_PROXIES']
  return {
    ...languageEnvironment(),
    HOME: temporaryFolder,
    TMPDIR: temporaryFolder,
    ...spec.environment,
    STEWARD_HOST: '0.0.0.0',
    ...(trusted !== undefined && { STEWARD_TRUSTED_PROXIES: [trusted, ...ownAddresses()].join(',') }),
  }
}

export function limitsInForce(spec: InstanceSpec): readonly LimitInForce[] {
  const { limits = {} } = spec
  const heap = heapOf(spec, engineCgroups)
  return [
    ...(heap === undefined ? [] : [{ name: 'heap' as const, value: heap, by: 'node' as const }]),
    ...(['memory', 'cpu', 'processes'] as const).flatMap((name) =>
      limits[name] ? [{ name, value: limits[name], by: 'cgroup' as const }] : [],
    ),
    ...(limits.files ? [{ name: 'files' as const, value: limits.files, by: 'rlimit' as const }] : []),
  ]
}

/** All that comes to a task comes from the relay, which is on this machine. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address)
}

function secretFile(reference: SecretReference, path: string): object {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { ...reference, File: { Name: name, UID: String(user), GID: String(user), Mode: 0o400 } }
}

/** The image's own Node with what is in it. */
function programOf(spec: InstanceSpec, { program }: AppImage): readonly string[] {
  const [first = '', , ...args] = spec.command
  const heap = heapOf(spec, engineCgroups)
  const limit = heap === undefined ? [] : [`--max-old-space-size=${heap}`]
  const places = new Map([
    [spec.workingFolder, appFolder],
    [instanceHomeAt(spec.folder).data, dataFolder],
  ])
  return [isNode(first) ? 'node' : first, ...limit, program, ...args.map((each) => places.get(each) ?? each)]
}

/** Well once it is healthy; from then on as long as it answers: a database that is away is no reason to start it again. */
function healthOf({ port }: InstanceSpec): object {
  const mark = JSON.stringify(`${temporaryFolder}/ready`)
  const ask =
    `const fs=require('node:fs');require('node:http').get({host:'127.0.0.1',port:${port},path:'/health',agent:false},` +
    `r=>{if(fs.existsSync(${mark}))process.exit(0);if(r.statusCode>=500)process.exit(1);` +
    `fs.writeFileSync(${mark},'');process.exit(0)}).on('error',()=>process.exit(1))`
  return {
    Test: ['CMD', 'node', '-e', ask],
    Interval: 5 * second,
    Timeout: 10 * second,
    Retries: 3,
    StartPeriod: 60 * second,
  }
}
