import { ManagerError } from '../../errors.js'
import type { Action } from '../action.js'
import { isThrowAway } from '../domain/instance.js'
import { countText } from '../domain/readable.js'
import { moveKind } from '../instances/move.js'
import { wireInstance } from '../instances/wire-instance.js'
import { defineAction } from './define-action.js'
import { runOperation } from './run-operation.js'

/** A runtime as `runtimes` answers it. */
export type RuntimeItem = {
  readonly name: string
  readonly usable: 'yes' | 'no'
  /** Kinds of applications, with spaces between them. */
  readonly runs: string
  readonly default: 'yes' | 'no'
  /** How many there are that it runs. */
  readonly instances: number
  /** Its description, or why it cannot be used. */
  readonly message: string
}

export const runtimeActions: readonly Action[] = [
  defineAction({
    name: 'runtimes',
    group: 'Manager',
    summary: 'List the runtimes and whether each can be used here',
    description:
      'A new instance gets the runtime of --runtime; else that of the instance or backup it is created from; else ' +
      'APPS_RUNTIME in version-<version>.sh; else APPS_RUNTIME in config.sh, unless that cannot run the ' +
      'application: then the first one that can. To change the runtime of an instance, use move.',
    ability: 'read',
    mutating: false,
    scoped: true,
    examples: ['runtimes', 'runtimes --json'],
    view: {
      type: 'table',
      columns: ['name', 'usable', 'runs', 'default', 'instances', 'message'],
      empty: 'There are none.',
    },
    async handler({ context: { runtimes, registry, settings } }) {
      const used = registry.instances().filter((instance) => !isThrowAway(instance))
      const names = new Set([...runtimes.names, ...used.map(({ runtime }) => runtime)])
      const list = await Promise.all(
        [...names].map(async (name) => {
          const { ok, message } = await runtimes.probe(name)
          const item: RuntimeItem = {
            name,
            usable: ok ? 'yes' : 'no',
            runs: runtimes.kinds(name).join(' '),
            default: name === settings.global.runtime ? 'yes' : 'no',
            instances: used.filter(({ runtime }) => runtime === name).length,
            message,
          }
          return item
        }),
      )
      return { message: countText(list.length, 'runtime'), list }
    },
  }),
  defineAction({
    name: 'move',
    group: 'Instances',
    summary: 'Move an instance to another runtime',
    description:
      'Stops the instance, removes it from its current runtime, and starts it with the other one; if it is not ' +
      'healthy there, the move is rolled back. Data, name, address and port do not change, and a stopped instance ' +
      'stays stopped. Runs the hooks pre-start.sh and post-start.sh when it starts.',
    parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Instance to move' }],
    options: [{ name: 'to', type: 'runtime', summary: 'New runtime (required)' }],
    ability: 'admin',
    mutating: true,
    examples: ['move demo --to systemd', 'move demo --to process --dry-run'],
    view: { type: 'record' },
    async handler(call) {
      const { context, input } = call
      const { id, name, runtime } = input.name
      const { to } = input
      if (to === undefined)
        throw new ManagerError('ERR_USAGE', 'Name the new runtime with --to.', {
          help: `Runtimes: ${context.runtimes.names.join(', ')}.`,
          command: 'runtimes',
        })
      if (to === runtime) return { message: `"${name}" already has the runtime "${to}".` }
      return runOperation(call, moveKind, { id, name, to }, () => ({
        message: `Instance "${name}" now has the runtime "${to}".`,
        item: wireInstance(context.registry.byId(id) ?? input.name, context.settings.global),
      }))
    },
  }),
]
