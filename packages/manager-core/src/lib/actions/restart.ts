import { restartKind } from '../instances/restart.js'
import { wireInstance } from '../instances/wire-instance.js'
import { urlOf } from '../settings/public-url.js'
import { defineAction } from './define-action.js'
import { runOperation } from './run-operation.js'
import { nameOfInstance } from './shared-inputs.js'

export const restartAction = defineAction({
  name: 'restart',
  group: 'Instances',
  summary: 'Restart an instance, where possible without downtime',
  description:
    'When instances are published by a reverse proxy (APPS_PROXY), a second copy is started on another port of ' +
    'APPS_PORTS; when it is healthy, the reverse proxy sends it what is new, and the first one ends when its open ' +
    'requests have, or after APPS_STOPTIMEOUT. Else, or when data would be migrated, it is stopped and started, and a ' +
    'warning tells why; --dry-run tells it before. When it does not get healthy within APPS_STARTTIMEOUT, all is as it ' +
    'was, or it stays stopped when it does not start any more. One that is stopped is only started. The hooks pre-start.sh and post-start.sh run, and pre-stop.sh and ' +
    'post-stop.sh when it is stopped.',
  parameters: [nameOfInstance],
  ability: 'operate',
  mutating: true,
  examples: ['restart demo', 'restart demo --dry-run'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name } = input.name
    return runOperation(call, restartKind, { id, name }, () => {
      const now = context.registry.byId(id) ?? context.registry.get(name)
      return {
        message: `"${now.name}" is started again: ${urlOf(now)}`,
        item: wireInstance(now, context.settings.global),
      }
    })
  },
})
