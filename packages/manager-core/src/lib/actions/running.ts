import type { Action } from '../action.js'
import { isRunning } from '../domain/instance.js'
import { setStatusKind, sleepKind, startKind, stopKind } from '../instances/start-and-stop.js'
import { refOf } from '../runtime/instance-ref.js'
import { urlOf } from '../settings/public-url.js'
import { appActions } from './application-server.js'
import { defineAction } from './define-action.js'
import { logsAction } from './logs.js'
import { restartAction } from './restart.js'
import { runOperation } from './run-operation.js'
import { nameOfInstance } from './shared-inputs.js'
import { startAllAction } from './start-all.js'
import { terminalActions } from './terminal.js'

const start = defineAction({
  name: 'start',
  group: 'Instances',
  summary: 'Start an instance and wait until it is healthy',
  description:
    'Runs the hooks pre-start.sh and post-start.sh. If the instance is not healthy within APPS_STARTTIMEOUT, it ' +
    'is stopped again, and the end of its log is shown. If it crashes later, it is restarted after 1, 2, 4 … 60 ' +
    'seconds; after 5 crashes, each within a minute of a start, it stays stopped (crashed). An instance whose ' +
    'database or documents are missing is not started: restore them, or use --empty to start without them.',
  parameters: [nameOfInstance],
  options: [{ name: 'empty', type: 'flag', summary: 'Start with an empty database if the data is missing' }],
  ability: 'operate',
  mutating: true,
  examples: ['start demo'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const instance = input.name
    const { state } = await context.runtimes.of(instance).observe(refOf(context, instance))
    const { id, name } = instance
    if (instance.desired === 'started' && state === 'started' && instance.observed === 'started')
      return { message: `"${name}" is already started: ${urlOf(instance)}` }
    return runOperation(call, startKind, { id, name, empty: input.empty }, () => ({
      message: `"${name}" is started: ${urlOf(instance)}`,
    }))
  },
})

const stop = defineAction({
  name: 'stop',
  alwaysWorks: true,
  group: 'Instances',
  summary: 'Stop an instance',
  description:
    'The instance has APPS_STOPTIMEOUT seconds to finish before it is killed; --force kills it immediately. Runs ' +
    'the hooks pre-stop.sh and post-stop.sh.',
  parameters: [nameOfInstance],
  options: [{ name: 'force', short: 'f', type: 'flag', summary: 'Kill it immediately' }],
  ability: 'operate',
  mutating: true,
  examples: ['stop demo', 'stop demo --force'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const instance = input.name
    const { state } = await context.runtimes.of(instance).observe(refOf(context, instance))
    const { id, name } = instance
    if (instance.desired === 'stopped' && state === 'stopped') return { message: `"${name}" is already stopped.` }
    const force = input.force
    return runOperation(call, stopKind, { id, name, force }, () => ({
      message: isRunning(state) ? `"${name}" is stopped.` : `"${name}" was not running. It is now recorded as stopped.`,
    }))
  },
})

const sleep = defineAction({
  name: 'sleep',
  group: 'Instances',
  summary: 'Stop an instance until the next request',
  description:
    'For an instance with APPS_SLEEP_AFTER (or SERVICE_SLEEP_AFTER) behind the reverse proxy. The server of the ' +
    'manager does this automatically if there are no requests for that long. Open requests have APPS_STOPTIMEOUT ' +
    'seconds to finish. Runs the hooks pre-stop.sh and post-stop.sh.',
  parameters: [nameOfInstance],
  ability: 'operate',
  mutating: true,
  examples: ['sleep demo'],
  view: { type: 'text' },
  async handler(call) {
    const { id, name, observed } = call.input.name
    const { state } = await call.context.runtimes.of({ id }).observe(refOf(call.context, { id }))
    if (observed === 'asleep' && !isRunning(state)) return { message: `"${name}" is already asleep.` }
    return runOperation(call, sleepKind, { id, name }, () => ({
      message: `"${name}" is asleep; the next request wakes it.`,
    }))
  },
})

const wake = defineAction({
  name: 'wake',
  group: 'Instances',
  summary: 'Start an instance if it is asleep',
  description:
    'As the next request would. Instances that are not asleep do not change; to start a stopped one, use start. ' +
    'If the start fails, the instance stays asleep. Runs the hooks pre-start.sh and post-start.sh.',
  parameters: [nameOfInstance],
  ability: 'operate',
  mutating: true,
  examples: ['wake demo'],
  view: { type: 'text' },
  async handler(call) {
    const { id, name, observed } = call.input.name
    if (observed !== 'asleep') return { message: `"${name}" is not asleep.` }
    return runOperation(call, startKind, { id, name, wake: true }, () => ({
      message: `"${name}" is awake: ${urlOf(call.input.name)}`,
    }))
  },
})

const setStatus = defineAction({
  name: 'setstatus',
  group: 'Instances',
  summary: 'Record an instance as started or stopped, without changing it',
  description:
    'Use this after an incident, if the record is wrong. Nothing is started or stopped. startall starts ' +
    'instances that are recorded as started.',
  parameters: [
    nameOfInstance,
    {
      name: 'status',
      type: 'choice',
      choices: ['started', 'stopped'],
      required: true,
      summary: 'Status to record',
    },
  ],
  ability: 'operate',
  mutating: true,
  surfaces: ['cli'],
  examples: ['setstatus demo stopped'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name } = input.name
    const status = input.status
    return runOperation(call, setStatusKind, { id, name, status }, async ({ warnings }) => {
      const { state } = await context.runtimes.of({ id }).observe(refOf(context, { id }))
      const isTrue = isRunning(state) === (status === 'started')
      return {
        message: `"${name}" is recorded as ${status}.`,
        warnings: isTrue ? warnings : [...warnings, `It is ${state}.`],
      }
    })
  },
})

export const runningActions: readonly Action[] = [
  start,
  stop,
  sleep,
  wake,
  restartAction,
  startAllAction,
  setStatus,
  ...appActions,
  logsAction,
  ...terminalActions,
]
