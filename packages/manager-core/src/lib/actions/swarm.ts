import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { ManagerError } from '../../errors.js'
import type { Action } from '../action.js'
import type { ManagerContext } from '../context.js'
import { countText } from '../domain/readable.js'
import { fileError } from '../files/file-error.js'
import { initSwarm, type SwarmPlace } from '../runtime/swarm/init.js'
import {
  activateNode,
  drainNode,
  joinSwarm,
  joinToken,
  labelNode,
  leaveSwarm,
  listNodes,
} from '../runtime/swarm/nodes.js'
import { startRegistry } from '../runtime/swarm/registry.js'
import { defineAction } from './define-action.js'

const node = { name: 'node', type: 'text', required: true, summary: 'Name of the node' } as const
const advertise = { name: 'advertise', type: 'text', summary: 'Address of this machine for the other nodes' } as const
const unchanged = 'Nothing was done.'

function placeOf({ settings, home }: Pick<ManagerContext, 'settings' | 'home'>): SwarmPlace {
  return { socket: settings.global.containers.socket, instances: home.instances }
}

function nameOf({ registry }: Pick<ManagerContext, 'registry'>): (id: string) => string {
  return (id) => registry.byId(id)?.name ?? id
}

export const swarmActions: readonly Action[] = [
  defineAction({
    name: 'swarm init',
    group: 'Manager',
    summary: 'Create a Docker swarm on this machine for instances, or use the one that it manages',
    description:
      'The container engine of this machine becomes the first manager node. If it is a manager node already, this ' +
      'manager uses its swarm: other services in it are not touched. A swarm has one manager of instances. ' +
      '--take-over uses a swarm whose manager is lost. Nodes report every second, so that a lost one is noticed soon.',
    options: [advertise, { name: 'take-over', type: 'flag', summary: 'Use a swarm that belongs to a lost manager' }],
    ability: 'admin',
    mutating: true,
    examples: ['swarm init', 'swarm init --advertise 10.0.0.1', 'swarm init --take-over'],
    view: { type: 'text' },
    async handler({ context, input, caller }) {
      if (caller.dryRun) return { message: `The swarm of this machine would be used, or created. ${unchanged}` }
      const made = await initSwarm(placeOf(context), { advertise: input.advertise, takeOver: input['take-over'] })
      return {
        message: `${made ? 'The swarm was created.' : 'This manager uses the swarm.'} Use it with --runtime swarm.`,
        item: { created: made },
      }
    },
  }),
  defineAction({
    name: 'swarm registry',
    group: 'Manager',
    summary: 'Start a registry on this machine, from which the nodes of the swarm get images',
    description:
      'Runs in a container that the engine starts again after a boot; images are in the volume steward-registry. Uses the ' +
      'program docker-registry of this machine if it is installed, else the image registry:2. The registry has no ' +
      'password and no TLS: close its port to other machines, and add its address to insecure-registries in ' +
      '/etc/docker/daemon.json on every node.',
    options: [{ name: 'port', type: 'integer', min: 1, max: 65_535, summary: 'Its port (default 5000)' }],
    ability: 'admin',
    mutating: true,
    examples: ['swarm registry', 'swarm registry --port 5001'],
    view: { type: 'text' },
    async handler({ context, input: { port = 5000 }, caller }) {
      if (caller.dryRun) return { message: `A registry would be started on port ${port}. ${unchanged}` }
      const registry = await startRegistry(placeOf(context), { port, signal: caller.signal })
      return {
        message: `The registry runs. Set APPS_SWARM_REGISTRY=${registry} in config.sh, and add it to insecure-registries on every node.`,
        item: { registry },
      }
    },
  }),
  defineAction({
    name: 'swarm token',
    group: 'Manager',
    summary: 'Write the token with which machines join the swarm to a new file',
    description:
      'Only you can read the file (mode 0600). Anyone with the token can add machines to the swarm, so remove the file ' +
      'afterwards. With --role manager, joined machines can change the swarm: several keep it manageable if one is lost.',
    parameters: [{ name: 'file', type: 'file', required: true, summary: 'New file for the token' }],
    options: [
      {
        name: 'role',
        type: 'choice',
        choices: ['worker', 'manager'],
        summary: 'Role of the new nodes (default worker)',
      },
    ],
    ability: 'admin',
    mutating: true,
    surfaces: ['cli'],
    examples: ['swarm token join-token', 'swarm token join-token --role manager'],
    view: { type: 'text' },
    async handler({ context, input: { file, role }, caller }) {
      if (caller.dryRun) return { message: `The token would be written to ${file}. ${unchanged}` }
      const token = await joinToken(placeOf(context), role === 'manager' ? 'manager' : 'worker')
      try {
        await writeFile(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
      } catch (error) {
        throw fileError(error, `Cannot write ${file}`)
      }
      return { message: `The token is in ${file}. On the new machine: swarm join <address> --token-file <file>` }
    },
  }),
  defineAction({
    name: 'swarm join',
    group: 'Manager',
    summary: 'Add this machine to a swarm',
    description:
      'The token is read from a file, or from standard input; it is never an argument. "swarm token" on the manager ' +
      'machine writes it. A machine without a manager of its own joins with "docker swarm join".',
    parameters: [
      {
        name: 'address',
        type: 'text',
        required: true,
        summary: 'Address of a manager node, e.g. 10.0.0.1 or 10.0.0.1:2377',
      },
    ],
    options: [
      { name: 'token-file', type: 'file', summary: 'File with the token; not given: standard input' },
      advertise,
    ],
    ability: 'admin',
    mutating: true,
    surfaces: ['cli'],
    examples: ['swarm join 10.0.0.1 --token-file join-token', 'swarm join 10.0.0.1 < join-token'],
    view: { type: 'text' },
    async handler({ context, input, caller }) {
      const { address, advertise: own, 'token-file': file } = input
      if (caller.dryRun) return { message: `This machine would join the swarm of ${address}. ${unchanged}` }
      const name = await joinSwarm(placeOf(context), { address, token: await readToken(file), advertise: own })
      return { message: `"${name}" is a node of the swarm now.`, item: { name } }
    },
  }),
  defineAction({
    name: 'swarm nodes',
    group: 'Manager',
    summary: 'List the nodes of the swarm and the instances that run on each',
    ability: 'read',
    mutating: false,
    examples: ['swarm nodes', 'swarm nodes --json'],
    view: {
      type: 'table',
      columns: ['name', 'state', 'availability', 'role', 'labels', 'instances', 'address', 'engine'],
      optional: ['labels'],
      empty: 'There are none.',
    },
    async handler({ context }) {
      const nodes = await listNodes(placeOf(context))
      const list = nodes.map((each) => ({
        ...each,
        instances: each.instances.map(nameOf(context)).toSorted().join(','),
      }))
      return { message: countText(list.length, 'node'), list }
    },
  }),
  defineAction({
    name: 'swarm label',
    group: 'Manager',
    summary: 'Set labels of a node, for SERVICE_PLACEMENT',
    description: 'A label without a value (label=) is removed. Instances move with their next start.',
    parameters: [
      node,
      { name: 'labels', type: 'text', variadic: true, required: true, summary: 'Labels as name=value' },
    ],
    ability: 'admin',
    mutating: true,
    examples: ['swarm label node2 disk=ssd', 'swarm label node2 disk='],
    view: { type: 'text' },
    async handler({ context, input, caller }) {
      const given = Object.fromEntries(input.labels.map(labelOf))
      if (caller.dryRun) return { message: `The labels of "${input.node}" would be set. ${unchanged}` }
      await labelNode(placeOf(context), input.node, given)
      return { message: `The labels of "${input.node}" are set.` }
    },
  }),
  defineAction({
    name: 'swarm drain',
    group: 'Manager',
    summary: 'Move everything from a node to others, and wait until that is done',
    description:
      'For maintenance of a machine. Each instance is started on another node and ended here; callers wait a few seconds meanwhile ' +
      'unless it has several replicas. --undo lets the node run instances again; those that moved stay where they are.',
    parameters: [node],
    options: [
      { name: 'undo', type: 'flag', summary: 'Let it run instances again' },
      { name: 'timeout', type: 'integer', min: 1, max: 86_400, summary: 'Seconds to wait (default 300)' },
    ],
    ability: 'admin',
    mutating: true,
    examples: ['swarm drain node2', 'swarm drain node2 --undo'],
    view: { type: 'text' },
    async handler({ context, input, caller }) {
      const { node: name, undo, timeout = 300 } = input
      if (caller.dryRun) return { message: `"${name}" would be ${undo ? 'active again' : 'drained'}. ${unchanged}` }
      if (undo) {
        await activateNode(placeOf(context), name)
        return { message: `"${name}" runs instances again.` }
      }
      await drainNode(placeOf(context), name, {
        timeoutMs: timeout * 1000,
        signal: caller.signal,
        onProgress: (left) =>
          caller.onEvent?.({ type: 'progress', step: 'drain', text: `${countText(left, 'service')} left` }),
      })
      return { message: `"${name}" no longer runs anything.` }
    },
  }),
  defineAction({
    name: 'swarm leave',
    group: 'Manager',
    summary: 'Take this machine out of the swarm',
    description: 'Refused while instances would lose their node.',
    ability: 'admin',
    mutating: true,
    destructive: 'This machine will leave the swarm. If it is the last manager node, the swarm ends.',
    examples: ['swarm leave'],
    view: { type: 'text' },
    async handler({ context, caller }) {
      if (caller.dryRun) return { message: `This machine would leave the swarm. ${unchanged}` }
      const name = await leaveSwarm(placeOf(context), nameOf(context))
      return { message: `"${name}" has left the swarm.` }
    },
  }),
]

/** @throws ManagerError ERR_USAGE */
function labelOf(given: string): readonly [string, string] {
  const [, name, value] = /^([A-Za-z0-9][\w.-]*)=([\w.:/-]*)$/.exec(given) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new ManagerError('ERR_USAGE', `"${given}" is not a label.`, { help: 'Use name=value, or name= to remove it.' })
}

/** @throws ManagerError ERR_USAGE, or what the file system says */
async function readToken(file: string | undefined): Promise<string> {
  if (file === undefined && process.stdin.isTTY)
    throw new ManagerError('ERR_USAGE', 'The join token is missing.', {
      help: 'Name its file with --token-file, or give it on standard input: swarm join <address> < file',
    })
  const content =
    file === undefined
      ? await text(process.stdin)
      : await readFile(file, 'utf8').catch((error: unknown) => {
          throw fileError(error, `Cannot read ${file}`)
        })
  const token = content.trim()
  if (/^SWMTKN-\S{20,}$/.test(token)) return token
  throw new ManagerError('ERR_USAGE', 'Not a join token of a swarm: join tokens begin with SWMTKN-.', {
    help: 'On the manager machine: swarm token <file>',
  })
}
