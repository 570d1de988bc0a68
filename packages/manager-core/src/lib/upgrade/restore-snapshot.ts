import { existsSync } from 'node:fs'
import { layOutBackupSteps, removeOldStep, restoreWorkOf, swapStep } from '../backup/restore-data-steps.js'
import type { Step, StepRun } from '../context.js'

export interface SnapshotOptions {
  readonly instance: { readonly id: string; readonly name: string }
  /** Home of the instance, which is stopped. */
  readonly folder: string
  /** Folder of the backup. */
  readonly snapshot: string
}

/** Puts data and database back as they are in the snapshot. May be repeated after a kill at any point. */
export async function restoreSnapshot(run: StepRun, { instance, folder, snapshot }: SnapshotOptions): Promise<void> {
  const data = { instance, folder, backup: snapshot, parts: 'data' } as const
  const work = restoreWorkOf(run)
  // What was replaced is there: all was ready before, and perhaps not everything is in its place yet.
  const isReplacing = existsSync(work.old.folder)
  const isReplaced = isReplacing && !existsSync(work.data) && !existsSync(work.settings)
  if (!isReplacing) for (const step of layOutBackupSteps(data)) await perform(step, run)
  if (!isReplaced) await perform(swapStep(data), run)
  await perform(removeOldStep({ instance }), run)
}

async function perform(step: Step, run: StepRun): Promise<void> {
  const intent = await step.intent?.({ ...run, intent: undefined })
  await step.do({ ...run, intent })
}
