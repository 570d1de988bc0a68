import { setTimeout as sleep } from 'node:timers/promises'
import { readExit, removeRunFiles, runFiles } from '../run-files.js'
import type { ExitInfo } from '../runtime.js'
import { resume } from './suspension.js'
import { systemctl } from './systemctl.js'
import { socketUnitOf } from './unit.js'
import { hasUnit, setAtBoot } from './unit-files.js'
import { isUp, stateOf } from './unit-state.js'

/** Gracefully for a while, then by force; resolves when nothing is left. How it ended last stays. */
export async function endUnit(unit: string, run: string, graceMs: number): Promise<ExitInfo> {
  await setAtBoot(unit, false)
  const socket = socketUnitOf(unit)
  // Else the next caller would start it again.
  if (hasUnit(socket)) await systemctl('stop', socket)
  const [state] = await stateOf([unit])
  const isRunning = state !== undefined && isUp(state)
  const isForced = isRunning && (await stop(unit, graceMs))
  // Else the next start is the last one's next attempt.
  if (isRunning || state?.ActiveState === 'failed') await systemctl('reset-failed', unit).catch(() => undefined)
  removeRunFiles(
    run,
    runFiles.filter((file) => file !== 'exit'),
  )
  if (!isRunning) return { wasRunning: false }
  const { code, signal } = readExit(run)?.exit ?? {}
  return {
    wasRunning: true,
    ...(code !== undefined && { code }),
    ...(signal !== undefined && { signal }),
    ...(isForced && { forced: true }),
  }
}

/** @returns whether it had to be killed. */
async function stop(unit: string, graceMs: number): Promise<boolean> {
  // One that is to be killed is not to be started again for it.
  if (graceMs <= 0) await systemctl('stop', '--no-block', unit)
  const waiting = new AbortController()
  await resume(unit)
  const ended = systemctl('stop', unit).then(() => true)
  const isTooLate = sleep(Math.max(graceMs, 0), false, { signal: waiting.signal }).catch(() => false)
  try {
    const isInTime = graceMs > 0 && (await Promise.race([ended, isTooLate]))
    if (!isInTime) await systemctl('kill', '--signal=KILL', unit).catch(() => undefined)
    await ended
    return !isInTime
  } finally {
    waiting.abort()
  }
}
