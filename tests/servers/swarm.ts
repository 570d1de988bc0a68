import { existsSync } from 'node:fs'
import { dockerIsMissing, startDocker, type DockerOptions, type TestDocker, type TestMachine } from './docker.js'
import { started } from './background.js'
import { run } from './programs.js'
import { toolIsMissing } from './tools.js'

/** Machines with an engine each, in a network of their own that this machine is in, too. Nothing makes a swarm of them. */
export interface TestMachines {
  /** Address of this machine in that network. */
  readonly here: string
  readonly nodes: readonly TestNode[]
  close(): Promise<void>
}

export interface TestNode {
  readonly docker: TestDocker
  readonly name: string
  readonly address: string
  /** Pulls the cable of its network, or puts it in again. */
  connect(isConnected: boolean): Promise<void>
}

/** Why a test that needs machines must be skipped; undefined when they can be started. @throws Error in CI */
export function machinesAreMissing(): string | undefined {
  return dockerIsMissing() ?? toolIsMissing('ip')
}

/** Starts them, in about 2 seconds. @param options further ones of all engines */
export function startMachines(
  count: number,
  { options = [] }: Pick<DockerOptions, 'options'> = {},
): Promise<TestMachines> {
  return started(new PrivateMachines(count), (machines) => machines.start(options))
}

/** Names of bridges begin with it; each number is a network that one process has. */
const prefix = 'stwtest'
const networks = 128

class PrivateMachines implements TestMachines {
  readonly nodes: TestNode[] = []
  readonly #count: number
  readonly #dockers: Promise<TestDocker>[] = []
  #number = -1

  constructor(count: number) {
    this.#count = count
  }

  get here(): string {
    return `${this.#net}.0.1`
  }

  get #bridge(): string {
    return `${prefix}${this.#number}`
  }

  get #net(): string {
    return `10.${64 + this.#number}`
  }

  async start(options: readonly string[]): Promise<void> {
    await sweepAbandoned()
    this.#number = await takeNetwork()
    await ip('addr', 'add', `${this.here}/24`, 'dev', this.#bridge)
    await ip('link', 'set', this.#bridge, 'up')
    for (let number = 1; number <= this.#count; number++) await this.#wire(number)
    for (let number = 1; number <= this.#count; number++)
      this.#dockers.push(
        startDocker({
          machine: this.#machine(number),
          options: [
            `--insecure-registry=${this.#net}.0.0/24`,
            `--default-address-pool=base=${this.#net}.${number * 16}.0/20,size=24`,
            ...options,
          ],
        }),
      )
    for (const [at, docker] of (await Promise.allSettled(this.#dockers)).entries()) {
      if (docker.status === 'rejected') throw docker.reason
      this.nodes.push({
        docker: docker.value,
        name: `node${at + 1}`,
        address: this.#address(at + 1),
        connect: (isConnected) => ip('link', 'set', this.#cable(at + 1), isConnected ? 'up' : 'down'),
      })
    }
  }

  async close(): Promise<void> {
    for (const docker of await Promise.allSettled(this.#dockers))
      if (docker.status === 'fulfilled') await docker.value.close()
    for (let number = 1; number <= this.#count; number++)
      await ip('netns', 'del', this.#machine(number).namespace).catch(() => undefined)
    if (this.#number >= 0) await ip('link', 'del', this.#bridge).catch(() => undefined)
  }

  async #wire(number: number): Promise<void> {
    const { namespace } = this.#machine(number)
    const cable = this.#cable(number)
    await ip('netns', 'add', namespace)
    await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
    await ip('link', 'set', cable, 'master', this.#bridge, 'up')
    const inside = (...args: string[]) => ip('-n', namespace, ...args)
    await inside('addr', 'add', `${this.#address(number)}/24`, 'dev', 'eth0')
    await inside('link', 'set', 'eth0', 'up')
    await inside('link', 'set', 'lo', 'up')
    await inside('route', 'add', 'default', 'via', this.here)
  }

  #machine(number: number): TestMachine {
    const namespace = `${this.#bridge}-${number}`
    return { namespace, hostname: `node${number}`, bridge: `${this.#net}.${200 + number}.1/24` }
  }

  #cable(number: number): string {
    return `${this.#bridge}v${number}`
  }

  #address(number: number): string {
    return `${this.#net}.0.${10 + number}`
  }
}

/** The first free network; a name of a bridge is given once. */
async function takeNetwork(): Promise<number> {
  for (let number = 0; number < networks; number++) {
    try {
      await ip('link', 'add', `${prefix}${number}`, 'type', 'bridge')
    } catch (error) {
      if (number === networks - 1 || !/exists/.test((error as Error).message)) throw error
      continue
    }
    await ip('link', 'set', `${prefix}${number}`, 'alias', String(process.pid))
    return number
  }
  throw new Error('No network is free for test machines.')
}

/** What a run left behind that was killed. */
async function sweepAbandoned(): Promise<void> {
  const bridges = await run(['ip', '-o', 'link', 'show', 'type', 'bridge'])
  for (const line of bridges.split('\n')) {
    const [, name, pid] = new RegExp(`^\\d+: (${prefix}\\d+):.*alias (\\d+)`).exec(line) ?? []
    if (name === undefined || existsSync(`/proc/${pid}`)) continue
    const spaces = await run(['ip', '-o', 'netns', 'list'])
    for (const space of spaces.split('\n').map((each) => each.split(' ')[0] ?? ''))
      if (space.startsWith(`${name}-`)) await ip('netns', 'del', space).catch(() => undefined)
    await ip('link', 'del', name).catch(() => undefined)
  }
}

async function ip(...args: string[]): Promise<void> {
  await run(['ip', ...args])
}
