import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ManagerError } from '../../../errors.js'
import { accountAt } from '../../accounts/account.js'
import { endAllOf } from '../../accounts/end-all-of.js'
import { removeTree } from '../../accounts/remove-tree.js'
import { checkAccount } from '../../accounts/system-accounts.js'
import { instanceHomeAt } from '../../domain/home.js'
import { describeProcess, startedAt, statOf } from '../../system/process-table.js'
import { runFolderOf, servingCopy, setServingCopy } from '../copies.js'
import { exclusively } from '../exclusively.js'
import { removeSockets, socketOf } from '../instance-socket.js'
import { checkProgram, commandOf, environmentOf, guest, layOut } from '../launch.js'
import { cgroupBase, cgroupMount } from '../limits/cgroups.js'
import { howLimited, limitsOf, writeLimits } from '../limits/confine.js'
import { whyEnded } from '../limits/why-ended.js'
import { followLog } from '../log-reader.js'
import { applicationLog } from '../look.js'
import { readDebugger, readExit, removeRunFiles } from '../run-files.js'
import type { Copy, InstanceRef, InstanceSpec, Runtime } from '../runtime.js'
import { translated } from '../translated.js'
import { sumOf } from '../usage.js'
import { endUnit } from './end-unit.js'
import { limitsFor, type UnitLimits } from './limits.js'
import { probe } from './probe.js'
import { unitScript } from './script.js'
import { resume, suspend } from './suspension.js'
import { systemctl } from './systemctl.js'
import { environmentFileOf, hasUnit, removeUnit, setAtBoot, writeUnit } from './unit-files.js'
import { cgroupOf, isUp, observedOf, processesOf, stateOf, type UnitState } from './unit-state.js'
import { environmentText, socketTextOf, socketUnitOf, unitName, unitTextOf, type UnitPolicy } from './unit.js'

export interface SystemdRuntimeOptions {
  /** Default: a pause of 2 s; given up after 5 starts within 5 minutes. */
  readonly policy?: Partial<Omit<UnitPolicy, 'stopSeconds'>>
  /** How long an instance may take to end when the machine is shut down, in ms. Default 30,000. */
  readonly stopTimeoutMs?: () => number
  /** How long a debugger stays open. Default 30. */
  readonly debugMinutes?: number
}

const script = { name: 'unit.sh', text: unitScript }
const bothCopies: readonly Copy[] = ['a', 'b']

/**
 * Runs instances as units of the system's systemd, one for each copy, which are started again at boot when they ran.
 * Their environment is in files of root's; what they write goes to the log that processes have, too.
 */
export function createSystemdRuntime({
  policy,
  stopTimeoutMs = () => 30_000,
  debugMinutes = 30,
}: SystemdRuntimeOptions = {}): Runtime {
  const copyOf = (ref: InstanceRef) => ref.copy ?? servingCopy(ref.folder)
  const unitOf = (ref: InstanceRef) => unitName(ref, copyOf(ref))
  const copiesOf = (ref: InstanceRef) =>
    (ref.copy === undefined ? bothCopies.toSorted((a) => (a === servingCopy(ref.folder) ? -1 : 1)) : [ref.copy]).map(
      (copy) => ({ unit: unitName(ref, copy), run: runFolderOf({ ...ref, copy }) }),
    )
  const canFreeze = cgroupMount() !== undefined

  /** @param minutes how long the debugger is open; undefined: it is not */
  async function write(spec: InstanceSpec, minutes?: number): Promise<UnitLimits> {
    const account = accountAt(spec.folder)
    if (account) checkAccount(account)
    layOut(spec, script)
    const unit = unitOf(spec)
    const run = runFolderOf(spec)
    const command = commandOf(spec, { account, base: cgroupBase() })
    const limits = await limitsFor(spec)
    const text = unitTextOf(spec, {
      copy: copyOf(spec),
      account,
      command,
      guest: fileURLToPath(guest),
      run,
      script: join(run, script.name),
      environment: environmentFileOf(unit),
      policy: {
        pauseSeconds: 2,
        limit: 5,
        withinSeconds: 300,
        ...policy,
        stopSeconds: Math.ceil(stopTimeoutMs() / 1000),
      },
      limits,
    })
    await writeUnit(spec, unit, {
      text,
      socket: spec.takesSockets ? socketTextOf(spec, copyOf(spec)) : undefined,
      environment: environmentText(environmentOf(spec, unit, minutes)),
    })
    return limits
  }

  async function start(spec: InstanceSpec, minutes: number | undefined, signal?: AbortSignal): Promise<void> {
    const unit = unitOf(spec)
    const run = runFolderOf(spec)
    const [state] = await stateOf([unit])
    if (state && isUp(state)) return
    checkProgram(spec)
    const { inForce } = await write(spec, minutes)
    signal?.throwIfAborted()
    removeRunFiles(run, ['application', 'exit', 'crashed', 'debugger', 'begun'])
    writeLimits(run, inForce)
    // Starts and crashes of before are not counted.
    for (const each of [unit, ...(spec.takesSockets ? [socketUnitOf(unit)] : [])])
      await systemctl('reset-failed', each).catch(() => undefined)
    await setAtBoot(unit, true)
    try {
      await systemctl('start', unit)
    } catch (error) {
      await endUnit(unit, run, 0)
      throw new ManagerError('ERR_FAILED', `systemd cannot start ${unit}: ${(error as Error).message}`, {
        help: `Check its log: journalctl --unit ${unit}`,
        cause: error,
      })
    }
    if (!signal?.aborted) return
    await endUnit(unit, run, 0)
    signal.throwIfAborted()
  }

  return {
    name: 'systemd',
    capabilities: Object.freeze({
      parallelCopies: true,
      suspend: canFreeze,
      limits: true,
      bootStart: true,
      nativeRollback: false,
      processes: true,
      debug: true,
    }),
    probe,
    howLimited: () => howLimited(cgroupBase()),
    define: (spec) => translated(spec, 'prepare', async () => void (await write(spec))),
    undefine: (ref) =>
      translated(ref, 'remove', async () => {
        const copies = copiesOf(ref)
        const states = await stateOf(copies.map(({ unit }) => unit))
        if (states.some(isUp)) throw new ManagerError('ERR_STATE', `Instance ${ref.id} is running. Stop it first.`)
        if (ref.copy === undefined) await endAllOf(accountAt(ref.folder))
        for (const { unit } of copies) await systemctl('reset-failed', unit).catch(() => undefined)
        let isChanged = false
        for (const { unit, run } of copies) {
          if (await removeUnit(ref, unit)) isChanged = true
          await removeTree(run, accountAt(ref.folder))
        }
        removeSockets(ref)
        if (isChanged) await systemctl('daemon-reload')
      }),
    async start(spec, { debug = false, signal } = {}) {
      signal?.throwIfAborted()
      await translated(spec, 'start', async () => {
        layOut(spec, script)
        await exclusively(spec, 'start', () => start(spec, debug ? debugMinutes : undefined, signal), signal)
      })
    },
    async stop(ref, { graceMs, force = false }) {
      const endAll = async (grace: number) => {
        // After those who had the lock before, another copy may serve.
        const exits = await Promise.all(copiesOf(ref).map(({ unit, run }) => endUnit(unit, run, grace)))
        if (force && ref.copy === undefined) await endAllOf(accountAt(ref.folder))
        return exits.find(({ wasRunning }) => wasRunning) ?? { wasRunning: false }
      }
      // Where its folder is lost there is nothing to lock, but there may be processes.
      if (!existsSync(instanceHomeAt(ref.folder).run)) return translated(ref, 'stop', () => endAll(force ? 0 : graceMs))
      // Who forces does not wait for another's patience.
      return translated(ref, 'stop', () => (force ? endAll(0) : exclusively(ref, 'stop', () => endAll(graceMs))))
    },
    ...(canFreeze && {
      suspend: (ref, { maxMs }) => translated(ref, 'suspend', () => suspend(unitOf(ref), maxMs)),
      resume: (ref) => translated(ref, 'resume', () => resume(unitOf(ref))),
    }),
    socketOf,
    serving: async ({ folder }) => servingCopy(folder),
    serve: (ref, copy) => translated(ref, 'switch', async () => setServingCopy(ref.folder, copy)),
    async observe(ref) {
      const [state] = (await stateOf([unitOf(ref)])) as [UnitState]
      const run = runFolderOf(ref)
      const main = isUp(state) ? statOf(Number(state.MainPID)) : undefined
      const lastExit = readExit(run)
      const since = main ? startedAt(main.start) : lastExit?.exit.at
      const limits = isUp(state) ? limitsOf(run, cgroupOf(state)) : []
      const reason = lastExit && whyEnded(lastExit, limits, applicationLog(ref.folder))
      const debugAddress = main && readDebugger(run)
      return {
        state: observedOf(state, run),
        restarts: Number(state.NRestarts),
        pids: processesOf(state).map(({ pid }) => pid),
        ...(since !== undefined && { since }),
        ...(lastExit && { lastExit: { ...lastExit.exit, ...(reason !== undefined && { reason }) } }),
        ...(limits.length > 0 && { limits }),
        ...(debugAddress !== undefined && { debugAddress }),
        ...(!hasUnit(unitOf(ref)) && { missing: `unit ${unitOf(ref)}` }),
      }
    },
    async observeAll(refs) {
      const states = await stateOf(refs.map(unitOf))
      return new Map(refs.map((ref, at) => [ref.id, observedOf(states[at] as UnitState, runFolderOf(ref))]))
    },
    async processes(ref) {
      const [state] = (await stateOf([unitOf(ref)])) as [UnitState]
      return processesOf(state)
        .map(describeProcess)
        .toSorted((a, b) => a.pid - b.pid)
    },
    async usageAll(refs) {
      const states = await stateOf(refs.map(unitOf))
      const stats = refs.map(({ id }, at) => [id, processesOf(states[at] as UnitState)] as const)
      return new Map(stats.filter(([, found]) => found.length > 0).map(([id, found]) => [id, sumOf(found)]))
    },
    logs: (ref, options) => followLog(applicationLog(ref.folder), options, accountAt(ref.folder)?.uid),
  }
}
