import { existsSync } from 'node:fs'
import { ManagerError } from '../../../errors.js'
import { runFolderOf } from '../copies.js'
import { readExit, removeRunFiles, runFiles, writeExit } from '../run-files.js'
import type { Copy, ExitInfo, InstanceRef } from '../runtime.js'
import { restarts } from './body.js'
import type { ContainerEngine } from './engine.js'
import { findContainer, isUp } from './look.js'
import { goOn } from './pause.js'
import { containerName } from './names.js'

/** The exit code of a container that was killed, as a shell gives it. */
const killed = 137
/** How often an engine that refuses is asked to stop a container. */
const mostStops = 3

/** Gracefully for a while, then by force; resolves when it has ended. It is there still, for its next start. */
export async function endContainer(
  engine: ContainerEngine,
  ref: InstanceRef & { readonly copy: Copy },
  graceMs: number,
): Promise<ExitInfo> {
  const name = containerName(ref, ref.copy)
  const run = runFolderOf(ref)
  const found = await findContainer(engine, ref, ref.copy)
  if (!found || !isUp(found.State.Status)) {
    forget(run)
    return { wasRunning: false }
  }
  // A frozen one hears nothing.
  if (found.State.Status === 'paused') await goOn(engine, name, run)
  await stop(engine, ref, graceMs)
  const ended = await findContainer(engine, ref, ref.copy)
  const forced = (ended?.State.ExitCode ?? killed) === killed
  // Where its folder is lost, it is not asked for.
  if (forced && existsSync(run)) writeExit(run, 'SIGKILL')
  forget(run)
  const { code, signal } = readExit(run)?.exit ?? {}
  return {
    wasRunning: true,
    ...(code !== undefined && { code }),
    ...(signal !== undefined && { signal }),
    ...(forced && { forced }),
  }
}

/** Resolves when it has ended. An engine may refuse to stop one that it is just starting again. */
async function stop(engine: ContainerEngine, ref: InstanceRef & { readonly copy: Copy }, graceMs: number) {
  const path = `/containers/${containerName(ref, ref.copy)}`
  for (let tries = 1; ; tries++)
    try {
      await engine.ask('POST', `${path}/update`, { body: { RestartPolicy: restarts.never }, besides: [404] })
      await engine.ask('POST', `${path}/stop`, {
        query: { t: String(Math.ceil(graceMs / 1000)) },
        besides: [304, 404],
        timeoutMs: graceMs + 60_000,
      })
      return await engine.ask('POST', `${path}/wait`, { besides: [404] })
    } catch (error) {
      if (!ManagerError.is(error) || error.code !== 'ERR_FAILED' || tries === mostStops) throw error
      if (!isUp((await findContainer(engine, ref, ref.copy))?.State.Status)) return
    }
}

/** How it ended last stays. */
function forget(run: string): void {
  removeRunFiles(
    run,
    runFiles.filter((file) => file !== 'exit'),
  )
}
