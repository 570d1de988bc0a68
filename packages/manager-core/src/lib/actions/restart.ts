import { restartKind } from '../instances/restart.js'
import { urlOf } from '../instances/public-url.js'
import { wireInstance } from '../instances/wire-instance.js'
import type { Action } from './action.js'
import { nameOfInstance } from './named-instance.js'
import { runOperation } from './run-operation.js'

export const restartAction: Action = {
  name: 'restart',
  group: 'Instances',
  summary: 'Stop an instance and start it again',
  description:
    'One that is stopped is only started. The hooks pre-stop.sh, post-stop.sh, pre-start.sh and post-start.sh run. When ' +
    'it does not get healthy within APPS_STARTTIMEOUT, it is started once more as it was.',
  parameters: [nameOfInstance],
  ability: 'operate',
  mutating: true,
  examples: ['restart demo'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name } = context.registry.get(input.name as string)
    return runOperation(call, restartKind, { id, name }, () => {
      const now = context.registry.byId(id) ?? context.registry.get(name)
      return {
        message: `"${now.name}" is started again: ${urlOf(now)}`,
        item: wireInstance(now, context.settings.global),
      }
    })
  },
}
