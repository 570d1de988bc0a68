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
    'The hooks pre-start.sh and post-start.sh run. An instance that is not healthy within APPS_STARTTIMEOUT is stopped ' +
    'again, and the end of its log is shown. One that crashes later is started again after 1, 2, 4 … 60 seconds; after ' +
    '5 crashes within a minute of a start each it is left as it is (crashed). An instance whose database or documents ' +
    'are gone is not started: restore brings them back, and --empty starts it without them.',
  parameters: [nameOfInstance],
  options: [{ name: 'empty', type: 'flag', summary: 'Start with an empty database when the data are gone' }],
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
  group: 'Instances',
  summary: 'Stop an instance',
  description:
    'It may finish what it does for APPS_STOPTIMEOUT seconds, then it is killed; --force kills it at once. The hooks ' +
    'pre-stop.sh and post-stop.sh run.',
  parameters: [nameOfInstance],
  options: [{ name: 'force', short: 'f', type: 'flag', summary: 'Kill it at once' }],
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
      message: isRunning(state) ? `"${name}" is stopped.` : `"${name}" did not run; it is recorded as stopped now.`,
    }))
  },
})

const sleep = defineAction({
  name: 'sleep',
  group: 'Instances',
  summary: 'Stop an instance until the next request',
  description:
    'For an instance with APPS_SLEEP_AFTER (or SERVICE_SLEEP_AFTER) behind the reverse proxy: the server of the manager ' +
    'does it by itself when nobody asks for that long. Requests that are under way may finish for APPS_STOPTIMEOUT ' +
    'seconds. The hooks pre-stop.sh and post-stop.sh run.',
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
    'As the first request does. Others stay as they are: start is for those that are stopped. What sleeps and does not ' +
    'start goes on sleeping. The hooks pre-start.sh and post-start.sh run.',
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
  summary: 'Record an instance as started or stopped, as it really is',
  description:
    'For after an unexpected issue: nothing is started or stopped. What is recorded as started, startall starts again.',
  parameters: [
    nameOfInstance,
    {
      name: 'status',
      type: 'choice',
      choices: ['started', 'stopped'],
      required: true,
      summary: 'What is to be recorded',
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
