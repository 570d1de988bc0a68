import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRoot } from './as-user.js'
import { Background, started } from './background.js'
import { makeFolder } from './folders.js'
import { run } from './programs.js'
import { toolIsMissing } from './tools.js'

export interface DockerOptions {
  /** Further options of `dockerd`, as `--live-restore` or `--add-runtime=name=/path`. */
  readonly options?: readonly string[]
  /** Machine that it is on. Default: this one, whose network it does not touch. */
  readonly machine?: TestMachine
}

/** What one engine takes for a machine of its own. */
export interface TestMachine {
  /** Name of its network namespace. */
  readonly namespace: string
  readonly hostname: string
  /** Address of its containers' bridge: `172.21.0.1/24`. */
  readonly bridge: string
}

/**
 * A private engine of Docker that touches no network of the machine: its containers have the host's network, none, or a
 * network that is created in it.
 */
export interface TestDocker {
  /** Path of its socket. */
  readonly socket: string
  readonly folder: string
  /** Process id while it runs. */
  readonly pid: number | undefined
  /** Starts it again with its containers and images. Nothing to do when it runs. */
  start(): Promise<void>
  /** Ends the engine alone. With SIGKILL its containers run on, with SIGTERM it ends them, too. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Ends it, all that it started, and all its containers at once, as a loss of power does. */
  cutPower(): Promise<void>
  /** Ends it and all its containers, and leaves nothing of it on the machine. */
  close(): Promise<void>
}

/**
 * Why a test that needs an engine of Docker must be skipped; undefined when it can be started.
 *
 * @throws Error in CI, where the set-up provides it and runs as root
 */
export function dockerIsMissing(): string | undefined {
  if (isRoot()) return toolIsMissing('dockerd')
  const reason = 'Only root can start an engine of Docker.'
  if (process.env.CI) throw new Error(reason)
  return reason
}

/** Starts one, in about 1 second. */
export async function startDocker(options: DockerOptions = {}): Promise<TestDocker> {
  await sweepAbandoned()
  // The paths of its sockets must be short; in memory where other temporary files are.
  const base = tmpdir().startsWith('/dev/shm/') ? '/dev/shm' : '/tmp'
  return started(new PrivateDocker(await makeFolder('docker', base), options), (docker) => docker.start())
}

/** Its cgroups have a name of their own, so that what is left in them is known to be ours. */
const prefix = 'steward-test-docker'

class PrivateDocker implements TestDocker {
  readonly folder: string
  readonly #group: string
  readonly #options: readonly string[]
  readonly #machine: TestMachine | undefined
  readonly #programs: Background

  constructor(folder: string, { options = [], machine }: DockerOptions) {
    this.folder = folder
    this.#group = `${prefix}-${process.pid}-${folder.slice(-6)}`
    this.#options = options
    this.#machine = machine
    // As root itself.
    this.#programs = new Background('root', folder)
  }

  get socket(): string {
    return join(this.folder, 'docker.sock')
  }

  get pid(): number | undefined {
    return this.#programs.pids.get('dockerd')
  }

  async start(): Promise<void> {
    if (this.pid !== undefined) return
    const at = (name: string) => join(this.folder, name)
    // Left by one that was killed. What is dead counts as alive until its parent has taken note, which not every machine's does.
    for (const file of [at('pid'), at('exec/containerd/containerd.pid')]) rmSync(file, { force: true })
    const command = [
      ...onMachine(this.#machine),
      'dockerd',
      `--data-root=${at('data')}`,
      `--exec-root=${at('exec')}`,
      `--host=unix://${this.socket}`,
      `--pidfile=${at('pid')}`,
      `--cgroup-parent=/${this.#group}`,
      '--storage-driver=overlay2',
      ...networkOf(this.#machine),
      ...this.#options,
    ]
    this.#programs.spawn('dockerd', command, { deathSignal: 'SIGTERM' })
    await this.#programs.isReady(() => answers(this.socket))
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    return this.#programs.stop(signal)
  }

  async cutPower(): Promise<void> {
    const stopped = this.#programs.stop('SIGKILL')
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(20)) {
      const left = [...pidsOfEngine(this.folder), ...groups().flatMap((group) => this.#pidsIn(group))].filter(isAlive)
      if (left.length === 0) break
      for (const pid of left) kill(pid)
    }
    await stopped
  }

  #pidsIn(group: string): number[] {
    return group.endsWith(`/${this.#group}`) ? [...below(group), group].flatMap(pidsIn) : []
  }

  async close(): Promise<void> {
    // First those that it would wait for.
    await sweepGroups((group) => group === this.#group)
    await this.#programs.stop('SIGTERM')
    await endContainerd(this.folder)
    await sweepGroups((group) => group === this.#group)
    await unmountBelow((point) => point.startsWith(`${this.folder}/`))
    await this.#programs.close()
  }
}

/** `ip netns exec` would mount a /sys without cgroups. */
function onMachine(machine: TestMachine | undefined): string[] {
  if (!machine) return []
  const { namespace, hostname } = machine
  const named = ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', hostname]
  return ['nsenter', `--net=/run/netns/${namespace}`, ...named]
}

function networkOf(machine: TestMachine | undefined): string[] {
  // No interface, no rule of the packet filter, and no setting of the kernel is changed.
  if (!machine) return ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false']
  return [`--bip=${machine.bridge}`]
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    request({ socketPath, path: '/_ping', timeout: 5000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
      .once('error', () => resolve(false))
      .end()
  })
}

/** What a run left behind that was killed together with its engine. */
async function sweepAbandoned(): Promise<void> {
  const isAbandoned = (name: string) => {
    const pid = /steward-test-(?:docker-)?(\d+)-/.exec(name)?.[1]
    return pid !== undefined && !existsSync(`/proc/${pid}`)
  }
  await sweepGroups((group) => group.startsWith(prefix) && isAbandoned(group))
  await unmountBelow((point) => point.includes('-docker-') && isAbandoned(point))
}

/** Kills what is in these cgroups, and removes them. */
async function sweepGroups(isOurs: (name: string) => boolean): Promise<void> {
  for (const group of groups().filter((path) => isOurs(path.slice(path.lastIndexOf('/') + 1)))) {
    const all = [...below(group), group]
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(20)) {
      for (const pid of all.flatMap(pidsIn)) kill(pid)
      if (all.filter((folder) => !removed(folder)).length === 0) break
    }
  }
}

/** Each hierarchy of version 1, and those of version 2. */
function groups(): string[] {
  const root = '/sys/fs/cgroup'
  const hierarchies = [root, ...folders(root)]
  return hierarchies.flatMap(folders).filter((path) => path.includes(`/${prefix}-`))
}

/** Folders in a folder, those in the depth first. */
function below(folder: string): string[] {
  return folders(folder).flatMap((each) => [...below(each), each])
}

function folders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  } catch (error) {
    // The engine removes its own meanwhile.
    if (['ENOENT', 'ENODEV'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

function pidsIn(group: string): number[] {
  try {
    return readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function removed(group: string): boolean {
  try {
    rmdirSync(group)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
  return true
}

/** It outlives an engine that was killed. */
async function endContainerd(folder: string): Promise<void> {
  const file = join(folder, 'exec/containerd/containerd.pid')
  if (existsSync(file)) kill(Number(readFileSync(file, 'utf8')))
  for (const pid of pidsOfEngine(folder)) kill(pid)
}

/** Its own processes, and those that look after containers and their ports. */
function pidsOfEngine(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(folder))
    .map(Number)
}

/** What has ended, and whose parent has not taken note, is not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}

async function unmountBelow(isOurs: (point: string) => boolean): Promise<void> {
  const points = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter(isOurs)
  // The last one first: it may be in another.
  for (const point of points.toReversed()) await run(['umount', '--lazy', point]).catch(() => undefined)
}
