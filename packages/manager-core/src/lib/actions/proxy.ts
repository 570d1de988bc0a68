import { ManagerError } from '../../errors.js'
import type { Action, ActionResult } from '../action.js'
import { isThrowAway } from '../domain/instance.js'
import type { Json } from '../domain/json.js'
import { recordHistory } from '../history/record-history.js'
import type { ProxyStatus } from '../proxies/proxies.js'
import { publicUrlOf } from '../settings/public-url.js'
import { defineAction, type CallPlace } from './define-action.js'

const status = defineAction({
  name: 'proxy status',
  group: 'Manager',
  summary: 'Show what the reverse proxy publishes',
  description:
    'One line per instance: its public address, and problems such as a snippet that was left out, with its file ' +
    'and line.',
  ability: 'read',
  mutating: false,
  examples: ['proxy status', 'proxy status --json'],
  view: { type: 'table', columns: ['name', 'url', 'port', 'state', 'message'], empty: 'There are no instances.' },
  async handler({ context }) {
    const now = await context.proxies.status()
    const { global } = context.settings
    const list = context.registry
      .instances()
      .filter((one) => !isThrowAway(one))
      .map((instance): Json => {
        const problems = now.problems.filter((problem) => problem.instance?.id === instance.id)
        return {
          name: instance.name,
          url: publicUrlOf(instance, global),
          port: instance.port,
          state:
            !now.enabled || now.generation === '' || !now.running
              ? 'not-published'
              : problems.length > 0
                ? 'problem'
                : 'published',
          message: problems.map(({ message }) => message).join('\n'),
        }
      })
    const { waker: _waker, sleepers: _sleepers, open: _open, closed: _closed, ...published } = now
    const warnings = now.problems.filter(({ instance }) => !instance).map(({ message }) => message)
    if (now.failure !== '') warnings.unshift(`Publishing has failed since then: ${now.failure}`)
    return {
      message: describe(now),
      list,
      item: { ...published, problems: now.problems as unknown as Json },
      ...(warnings.length > 0 && { warnings }),
    }
  },
})

const check = defineAction({
  name: 'proxy check',
  group: 'Manager',
  summary: 'Test the configuration to publish, without changing anything',
  description:
    'The configuration is written to a temporary place and tested by the reverse proxy within its whole ' +
    'configuration, as before each publication. The exit code is 1 if it is refused, or if parts of it would be ' +
    'left out.',
  ability: 'admin',
  mutating: false,
  examples: ['proxy check'],
  view: { type: 'text' },
  handler: tested,
})

async function tested({ context, caller }: CallPlace): Promise<ActionResult> {
  refuseWhenOff(await context.proxies.status())
  const { refusal, output, problems, isDue } = await context.proxies.check(caller)
  if (refusal !== undefined)
    return {
      message: [`The reverse proxy refuses the configuration: ${refusal}`, output].join('\n'),
      item: { ok: false, output },
      exitCode: 1,
    }
  const warnings = problems.map(({ message }) => message)
  return {
    message: isDue ? 'The configuration is valid, but not published yet.' : 'The configuration is valid and published.',
    item: { ok: true, due: isDue, problems: problems as unknown as Json },
    ...(warnings.length > 0 && { warnings, exitCode: 1 as const }),
  }
}

const publish = defineAction({
  name: 'proxy publish',
  group: 'Manager',
  summary: 'Publish the instances through the reverse proxy',
  description:
    'This happens automatically after each command that changes something. Running it also repairs manual ' +
    'changes and retries snippets that were left out. If the reverse proxy does not accept the configuration, ' +
    'the previous one is restored.',
  ability: 'admin',
  mutating: true,
  publishesItself: true,
  examples: ['proxy publish', 'proxy publish --dry-run'],
  view: { type: 'text' },
  async handler(call) {
    const { context, caller } = call
    refuseWhenOff(await context.proxies.status())
    if (caller.dryRun) return tested(call)
    return recordHistory(context, caller, { action: 'proxy publish' }, () => bring(call))
  },
})

async function bring({ context, caller }: CallPlace): Promise<ActionResult> {
  const { state, warnings } = await context.proxies.publish(caller, { repair: true, retry: true })
  const { running, type } = await context.proxies.status()
  if (!running)
    return {
      message: `The configuration is written, but ${type} is not running, so nothing is published until it starts.`,
      exitCode: 1,
      ...(warnings.length > 0 && { warnings }),
    }
  return {
    message:
      state === 'published'
        ? 'The instances are published.'
        : 'The instances are already published. Nothing was changed.',
    ...(warnings.length > 0 && { warnings }),
  }
}

function refuseWhenOff({ enabled }: ProxyStatus): void {
  if (enabled) return
  throw new ManagerError('ERR_STATE', 'Publishing through a reverse proxy is off: APPS_PROXY is "no".', {
    help: 'Set APPS_PROXY=yes in config.sh.',
    command: 'config APPS_PROXY APPS_HTTPSERVER',
  })
}

function describe({ enabled, type, published, running }: ProxyStatus): string {
  if (!enabled) return 'Publishing through a reverse proxy is off (APPS_PROXY=no).'
  return published === ''
    ? `Nothing has been published through ${type} yet.`
    : `Published through ${type} at ${published}${running ? '' : `, but ${type} is not running`}.`
}

export const proxyActions: readonly Action[] = [status, check, publish]
