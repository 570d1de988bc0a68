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
  /** What it says of itself, or why it cannot be used. */
  readonly message: string
}

export const runtimeActions: readonly Action[] = [
  defineAction({
    name: 'runtimes',
    group: 'Manager',
    summary: 'List what can run instances, and whether it can be used here',
    description:
      'A new instance gets the runtime of --runtime; else that of the instance or backup that it is made of; else that of ' +
      'APPS_RUNTIME in version-<version>.sh; else that of APPS_RUNTIME in config.sh, unless that does not run such ' +
      'applications: then the first one that does. move gives an instance another one.',
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
    summary: 'Let another runtime run an instance',
    description:
      'It is stopped, taken out of the runtime that it has, and started by the other one; when it is not healthy there, ' +
      'all is put back as it was. Its data, name, address and port stay, and one that is stopped stays stopped. The hooks ' +
      'pre-start.sh and post-start.sh run when it is started again.',
    parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Instance to move' }],
    options: [{ name: 'to', type: 'runtime', summary: 'Runtime that it gets (required)' }],
    ability: 'admin',
    mutating: true,
    examples: ['move demo --to systemd', 'move demo --to process --dry-run'],
    view: { type: 'record' },
    async handler(call) {
      const { context, input } = call
      const { id, name, runtime } = input.name
      const { to } = input
      if (to === undefined)
        throw new ManagerError('ERR_USAGE', 'Say with --to which runtime it gets.', {
          help: `There are: ${context.runtimes.names.join(', ')}.`,
          command: 'runtimes',
        })
      if (to === runtime) return { message: `"${name}" runs as "${to}" already.` }
      return runOperation(call, moveKind, { id, name, to }, () => ({
        message: `Instance "${name}" runs as "${to}" now.`,
        item: wireInstance(context.registry.byId(id) ?? input.name, context.settings.global),
      }))
    },
  }),
]
