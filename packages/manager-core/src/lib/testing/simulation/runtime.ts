import { join } from 'node:path'
import { ManagerError } from '../../../errors.js'
import { accountAt } from '../../accounts/account.js'
import { endAllOf } from '../../accounts/end-all-of.js'
import { checkAccount } from '../../accounts/system-accounts.js'
import type { Observed } from '../../domain/instance.js'
import type { Copy, InstanceRef, InstanceSpec, Runtime } from '../../runtime/runtime.js'
import { startApplication } from './applications.js'
import { act, inTurn, look, machine, type SimulatedInstance } from './machine.js'

const capabilities = Object.freeze({
  parallelCopies: true,
  suspend: true,
  limits: false,
  bootStart: false,
  nativeRollback: false,
  processes: false,
  debug: false,
})

const seen = (instance: SimulatedInstance | undefined): Observed =>
  instance?.isSuspended ? 'suspended' : (instance?.state ?? 'stopped')

/** Runs instances on the simulated machine: what is started keeps running whatever happens to the manager. */
export function createProcessRuntime(): Runtime {
  const servingOf = ({ id }: InstanceRef): Copy => machine.state.serving.get(id) ?? 'a'
  const keyOf = (ref: InstanceRef) => `${ref.id}/${ref.copy ?? servingOf(ref)}`
  const keysOf = (ref: InstanceRef) =>
    ref.copy === undefined ? [`${ref.id}/a`, `${ref.id}/b`] : [`${ref.id}/${ref.copy}`]
  const find = (ref: InstanceRef) => look(() => machine.state.instances.get(keyOf(ref)))

  function start(spec: InstanceSpec): void {
    if (find(spec)?.state === 'started') return
    const account = accountAt(spec.folder)
    if (account) checkAccount(account)
    act(`start ${keyOf(spec)}`, () => {
      const instance: SimulatedInstance = {
        folder: spec.folder,
        port: spec.port,
        app: spec.command.find((part) => part.endsWith('/app')) ?? join(spec.folder, 'app'),
        environment: spec.environment,
        state: 'stopped',
        since: new Date(machine.state.now).toISOString(),
        isSuspended: false,
        pid: machine.state.nextPid++,
        uid: account?.uid ?? 0,
      }
      instance.state = startApplication(instance) ? 'started' : 'crashed'
      machine.state.instances.set(keyOf(spec), instance)
    })
  }

  function stop(key: string): boolean {
    const instance = look(() => machine.state.instances.get(key))
    if (!instance || instance.state === 'stopped') return false
    const wasRunning = instance.state === 'started'
    act(`stop ${key}`, () => {
      instance.state = 'stopped'
      instance.isSuspended = false
    })
    return wasRunning
  }

  function suspend(ref: InstanceRef, isSuspended: boolean): void {
    const instance = find(ref)
    if (instance?.state !== 'started' || instance.isSuspended === isSuspended) return
    act(`${isSuspended ? 'suspend' : 'resume'} ${keyOf(ref)}`, () => (instance.isSuspended = isSuspended))
  }

  return {
    name: 'simulated',
    capabilities,
    probe: () => Promise.resolve({ ok: true, message: 'Instances run on a simulated machine.' }),
    define: () => Promise.resolve(),
    undefine: (ref) =>
      inTurn(async () => {
        if (ref.copy === undefined) await endAllOf(accountAt(ref.folder))
        for (const key of keysOf(ref)) {
          if (machine.state.instances.get(key)?.state === 'started')
            throw new ManagerError('ERR_STATE', `Instance ${ref.id} is running. Stop it first.`)
          if (machine.state.instances.has(key))
            act(`undefine ${key}`, () => {
              machine.state.instances.delete(key)
              machine.state.serving.delete(ref.id)
            })
        }
      }),
    start: (spec) => inTurn(() => start(spec)),
    stop: (ref, { force = false }) =>
      inTurn(async () => {
        const stopped = keysOf(ref).map(stop)
        if (force && ref.copy === undefined) await endAllOf(accountAt(ref.folder))
        return stopped.includes(true) ? { wasRunning: true, code: 0 } : { wasRunning: false }
      }),
    suspend: (ref) => inTurn(() => suspend(ref, true)),
    resume: (ref) => inTurn(() => suspend(ref, false)),
    serving: (ref) => inTurn(() => servingOf(ref)),
    serve: ({ id }, copy) => inTurn(() => void act(`serve ${id}/${copy}`, () => machine.state.serving.set(id, copy))),
    observe: (ref) =>
      inTurn(() => {
        const { state, since } = find(ref) ?? { state: 'stopped', since: '' }
        return {
          state: seen(find(ref)),
          since,
          restarts: 0,
          pids: [],
          ...(state === 'crashed' && { lastExit: { code: 1, at: since } }),
        }
      }),
    observeAll: (refs) => inTurn(() => new Map(refs.map((ref) => [ref.id, seen(find(ref))]))),
    processes: () => Promise.resolve([]),
    usageAll: () => Promise.resolve(new Map()),
    async *logs() {},
  }
}
