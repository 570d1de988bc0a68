import type { Home } from '../home.js'
import { isRunning } from '../operation/steps/runtime-steps.js'
import { startKind, stopKind } from '../instances/start-and-stop.js'
import type { Action, Parameter } from './action.js'
import { runOperation } from './run-operation.js'

const name: Parameter = { name: 'name', type: 'instance', required: true, summary: 'Name of the instance' }

const start: Action = {
  name: 'start',
  group: 'Instances',
  summary: 'Start an instance and wait until it is healthy',
  description:
    'The hooks pre-start.sh and post-start.sh run. An instance that does not get healthy within APPS_STARTTIMEOUT is ' +
    'stopped again, and the end of its log is shown.',
  parameters: [name],
  ability: 'operate',
  mutating: true,
  examples: ['start demo'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const instance = context.registry.get(input.name as string)
    const { state } = await context.runtime.observe(refOf(context.home, instance))
    if (instance.desired === 'started' && state === 'started')
      return { message: `"${instance.name}" is already started.` }
    return runOperation(call, startKind, { id: instance.id, name: instance.name, debug: false }, () => ({
      message: `"${instance.name}" is started: http://127.0.0.1:${instance.port}`,
    }))
  },
}

const stop: Action = {
  name: 'stop',
  group: 'Instances',
  summary: 'Stop an instance',
  description:
    'It may finish what it does for APPS_STOPTIMEOUT seconds, then it is killed. The hooks pre-stop.sh and post-stop.sh run.',
  parameters: [name],
  options: [{ name: 'force', short: 'f', type: 'flag', summary: 'Kill it at once' }],
  ability: 'operate',
  mutating: true,
  examples: ['stop demo', 'stop demo --force'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const instance = context.registry.get(input.name as string)
    const { state } = await context.runtime.observe(refOf(context.home, instance))
    if (instance.desired === 'stopped' && !isRunning(state))
      return { message: `"${instance.name}" is already stopped.` }
    const force = input.force === true
    return runOperation(call, stopKind, { id: instance.id, name: instance.name, force }, () => ({
      message: `"${instance.name}" is stopped.`,
    }))
  },
}

export const runningActions: readonly Action[] = [start, stop]

function refOf(home: Home, { id }: { readonly id: string }) {
  return { id, folder: home.instance(id).folder }
}
