import { isWebapp } from '../files/webapp.js'
import { ManagerError } from '../../errors.js'
import type { Action } from '../action.js'
import { healthPlace } from '../application/health-place.js'
import { isRunning, type Instance } from '../domain/instance.js'
import { appDebugKind, appStartKind, appStopKind } from '../instances/start-and-stop.js'
import { wireLimits, type WireLimits } from '../instances/wire-limits.js'
import { checkHealth } from '../runtime/health.js'
import { refOf } from '../runtime/instance-ref.js'
import type { Observation } from '../runtime/runtime.js'
import { urlOf } from '../settings/public-url.js'
import { defineAction } from './define-action.js'
import { runOperation } from './run-operation.js'
import { nameOfInstance } from './shared-inputs.js'

const onStarted =
  'Works on started instances only. The recorded status stays started, no hooks run, and startall starts the ' +
  'application server again. To stop an instance, use stop.'

const status = defineAction({
  name: 'app-status',
  formerly: ['tomcat-status'],
  group: 'Application',
  summary: "Show the state of an instance's application server",
  description: onStarted,
  parameters: [nameOfInstance],
  ability: 'read',
  mutating: false,
  surfaces: ['cli'],
  examples: ['app-status demo'],
  view: { type: 'record' },
  async handler({ context, input }) {
    const instance = started(input.name)
    const ref = refOf(context, instance)
    const { state, since, restarts, lastExit, debugAddress } = await context.runtimes.of(instance).observe(ref)
    const running = isRunning(state)
    const processes = running ? await context.runtimes.of(instance).processes(ref) : []
    const health =
      state === 'started' || state === 'degraded' ? await checkHealth(healthPlace(context, instance)) : undefined
    const memoryMb = Math.round(processes.reduce((sum, process) => sum + process.memoryMb, 0))
    return {
      message: `The application server of "${instance.name}" is ${state}.`,
      item: {
        name: instance.name,
        state,
        runtime: instance.runtime,
        health: health === undefined ? '' : (health.reason ?? 'OK'),
        since: since ?? '',
        restarts,
        last_exit: lastExit ? exitText(lastExit) : '',
        pids: processes.map(({ pid }) => pid).join(' '),
        memory_mb: memoryMb,
        ...(await wireLimits(context, instance)),
        url: urlOf(instance),
        debugger: debugAddress ?? '',
      },
      exitCode: running ? 0 : 1,
    }
  },
})

const stop = defineAction({
  name: 'app-stop',
  alwaysWorks: true,
  formerly: ['tomcat-stop'],
  group: 'Application',
  summary: "Stop an instance's application server, without hooks",
  description: onStarted,
  parameters: [nameOfInstance],
  ability: 'operate',
  mutating: true,
  surfaces: ['cli'],
  examples: ['app-stop demo'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name, observed } = started(input.name)
    const { state } = await context.runtimes.of({ id }).observe(refOf(context, { id }))
    if (!isRunning(state) && observed !== 'asleep')
      return { message: `The application server of "${name}" is already stopped.` }
    return runOperation(call, appStopKind, { id, name }, () => ({
      message: `The application server of "${name}" is stopped; app-start ${name} starts it.`,
    }))
  },
})

const start = defineAction({
  name: 'app-start',
  formerly: ['tomcat-start'],
  group: 'Application',
  summary: "Start an instance's application server, without hooks",
  description: onStarted,
  parameters: [nameOfInstance],
  ability: 'operate',
  mutating: true,
  surfaces: ['cli'],
  examples: ['app-start demo'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const instance = started(input.name)
    const { id, name } = instance
    const { state } = await context.runtimes.of({ id }).observe(refOf(context, { id }))
    if (state === 'started') return { message: `The application server of "${name}" is already started.` }
    return runOperation(call, appStartKind, { id, name }, () => ({
      message: `The application server of "${name}" is started: ${urlOf(instance)}`,
    }))
  },
})

const debug = defineAction({
  name: 'app-debug',
  formerly: ['tomcat-debug'],
  group: 'Application',
  summary: 'Restart the application server of an instance with its debugger open',
  description:
    'The debugger listens on a free port of 127.0.0.1, which is shown. It closes after 30 minutes or when the ' +
    'application server ends; to close it immediately, use app-stop and app-start. While it is open, the ' +
    'instance is slower, and everyone who can reach the port controls the instance. From another machine, use an ' +
    `SSH tunnel. ${onStarted}`,
  parameters: [nameOfInstance],
  ability: 'admin',
  mutating: true,
  surfaces: ['cli'],
  examples: ['app-debug demo'],
  view: { type: 'text' },
  async handler(call) {
    const { context, input } = call
    const { id, name } = started(input.name)
    const runtime = context.runtimes.of({ id })
    if (!runtime.capabilities.debug)
      throw new ManagerError('ERR_STATE', `Instances with the runtime "${runtime.name}" cannot be debugged.`)
    return runOperation(call, appDebugKind, { id, name }, async ({ warnings }) => {
      const { debugAddress } = await runtime.observe(refOf(context, { id }))
      const connect = isWebapp(context.home.instance(id).app)
        ? 'a Java debugger (JDWP)'
        : `node inspect ${debugAddress}`
      if (debugAddress === undefined)
        throw new ManagerError('ERR_FAILED', `"${name}" is started, but its debugger could not be opened.`)
      return {
        message: `Debugger of "${name}": ${debugAddress}, for 30 minutes. Connect with: ${connect}`,
        data: { debugger: debugAddress },
        warnings: [
          ...warnings,
          'While the debugger is open, the instance is slower, and every user of this machine can control it.',
        ],
      }
    })
  },
})

const ps = defineAction({
  name: 'ps',
  group: 'Looking',
  summary: 'Show the processes of an instance',
  parameters: [nameOfInstance],
  ability: 'read',
  mutating: false,
  surfaces: ['cli'],
  examples: ['ps demo', 'ps demo --json'],
  view: {
    type: 'table',
    columns: ['pid', 'parent', 'memory_mb', 'cpu_seconds', 'started', 'command'],
    empty: 'The instance has no processes.',
  },
  async handler({ context, input }) {
    const instance = input.name
    const processes = await context.runtimes.of(instance).processes(refOf(context, instance))
    return {
      message: `${processes.length} ${processes.length === 1 ? 'process' : 'processes'} of "${instance.name}"; ${limitsText(await wireLimits(context, instance))}`,
      list: processes.map(({ pid, parent, memoryMb, cpuSeconds, started, command }) => ({
        pid,
        parent,
        memory_mb: memoryMb,
        cpu_seconds: cpuSeconds,
        started,
        command,
      })),
    }
  },
})

export const appActions: readonly Action[] = [status, stop, start, debug, ps]

/** `SIGKILL at 2026-11-22T19:52:27.582Z: it ran out of its memory limit of 512 MB` */
function exitText({ signal, code, at, reason }: NonNullable<Observation['lastExit']>): string {
  return `${signal ?? code ?? 'unknown'} at ${at}${reason === undefined ? '' : `: it ${reason}`}`
}

function limitsText({ limit_memory, limit_cpu, limit_processes, limit_files }: WireLimits): string {
  return `limits: memory ${limit_memory}; CPU ${limit_cpu}; processes ${limit_processes}; open files ${limit_files}`
}

/** @throws ManagerError ERR_STATE */
function started(instance: Instance): Instance {
  if (instance.desired === 'started') return instance
  throw new ManagerError(
    'ERR_STATE',
    `"${instance.name}" is stopped. Only started instances have an application server.`,
    {
      command: `start ${instance.name}`,
    },
  )
}
