import { existsSync } from 'node:fs'
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
  await engine.ask('POST', `/containers/${name}/update`, { body: { RestartPolicy: restarts.never }, besides: [404] })
  // A frozen one hears nothing.
  if (found.State.Status === 'paused') await goOn(engine, name, run)
  await engine.ask('POST', `/containers/${name}/stop`, {
    query: { t: String(Math.ceil(graceMs / 1000)) },
    besides: [304, 404],
    timeoutMs: graceMs + 60_000,
  })
  await engine.ask('POST', `/containers/${name}/wait`, { besides: [404] })
  const ended = await findContainer(engine, ref, ref.copy)
  const forced = (ended?.State.ExitCode ?? killed) === killed
  // Where its folder is lost, nobody asks.
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

/** How it ended last stays. */
function forget(run: string): void {
  removeRunFiles(
    run,
    runFiles.filter((file) => file !== 'exit'),
  )
}
