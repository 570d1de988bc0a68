import { watchdogOf } from '../suspension.js'
import { runAsUnit, systemctl } from './systemctl.js'
import { isFrozen, isUp, stateOf } from './unit-state.js'

/** Lets a unit continue when the time is over or the manager is gone. */
const watchdogUnit = (unit: string) => unit.replace(/\.service$/, '-resume.service')

/** Freezes a unit for little more than `maxMs`, and no longer than the manager lives. Nothing to do when it does not run. */
export async function suspend(unit: string, maxMs: number): Promise<void> {
  const [state] = await stateOf([unit])
  if (!state || !isUp(state)) return
  await endWatchdog(unit)
  await runAsUnit(watchdogUnit(unit), ['/bin/sh', ...watchdogOf(maxMs, ['systemctl', 'thaw', unit])])
  try {
    await systemctl('freeze', unit)
  } catch (error) {
    await resume(unit)
    throw error
  }
}

/** Lets it continue. May be repeated. */
export async function resume(unit: string): Promise<void> {
  const [state] = await stateOf([unit])
  if (state && isFrozen(state)) await systemctl('thaw', unit)
  await endWatchdog(unit)
}

async function endWatchdog(unit: string): Promise<void> {
  const watchdog = watchdogUnit(unit)
  const isRunning = async () => (await stateOf([watchdog])).some(isUp)
  if (!(await isRunning())) return
  try {
    await systemctl('stop', watchdog)
  } catch (error) {
    // It may have ended by itself meanwhile, and systemd forgets it then.
    if (await isRunning()) throw error
  }
}
