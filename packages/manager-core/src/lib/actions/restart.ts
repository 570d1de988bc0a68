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
    'If a reverse proxy publishes the instances (APPS_PROXY), a second copy starts on another port of ' +
    'APPS_PORTS. When it is healthy, the reverse proxy sends new requests to it, and the first copy ends when ' +
    'its open requests end, or after APPS_STOPTIMEOUT. Otherwise, or if data must be migrated, the instance is ' +
    'stopped and started, and a warning gives the reason; --dry-run shows it in advance. If the instance is not ' +
    'healthy within APPS_STARTTIMEOUT, the restart is rolled back; if that fails too, the instance stays ' +
    'stopped. A stopped instance is only started. Runs the hooks pre-start.sh and post-start.sh, and, if it is ' +
    'stopped, pre-stop.sh and post-stop.sh.',
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
        message: `"${now.name}" is restarted: ${urlOf(now)}`,
        item: wireInstance(now, context.settings.global),
      }
    })
  },
})
