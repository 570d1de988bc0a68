import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removeBackup } from '../backup/remove-backup.js'
import { syncPath } from '../files/tree.js'
import { instanceHomeAt } from '../home.js'
import { fileError } from '../instances/file-error.js'
import { copyFolder } from '../instances/stage.js'
import type { Step, StepRun } from '../operation/operation.js'

/** Names of the application that comes and the one that goes, in the home of the instance. */
export function applicationsOf(folder: string, { operation }: Pick<StepRun, 'operation'>) {
  return {
    now: instanceHomeAt(folder).app,
    coming: join(folder, `app.new-${operation}`),
    going: join(folder, `app.old-${operation}`),
  }
}

/** Copies the new application beside, while the old one runs. */
export function besideStep(folder: string, template: string): Step {
  return {
    id: 'beside',
    title: 'Put the new application beside the old one',
    async do(run) {
      const { coming } = applicationsOf(folder, run)
      try {
        await rm(coming, { recursive: true, force: true })
        await copyFolder(template, coming, { signal: run.signal })
      } catch (error) {
        throw fileError(error, `Cannot copy the new application to ${coming}`)
      }
    },
    undo: (run) => rm(applicationsOf(folder, run).coming, { recursive: true, force: true }),
    check: () => 'not-done',
  }
}

/** By two renames; the instance is stopped. */
export function switchStep(folder: string): Step {
  return {
    id: 'switch',
    title: 'Switch to the new application',
    async do(run) {
      const { now, coming, going } = applicationsOf(folder, run)
      try {
        if (!existsSync(going)) await rename(now, going)
        if (existsSync(coming)) await rename(coming, now)
        await syncPath(folder)
      } catch (error) {
        throw fileError(error, `Cannot switch the application in ${folder}`)
      }
    },
    async undo(run) {
      const { now, coming, going } = applicationsOf(folder, run)
      if (!existsSync(going)) return
      if (existsSync(now)) await rename(now, coming)
      await rename(going, now)
      await syncPath(folder)
    },
    check(run) {
      const { now, going } = applicationsOf(folder, run)
      return existsSync(going) && existsSync(now) ? 'done' : 'not-done'
    },
  }
}

/** From here on the new version stays. What cannot be removed is only told: it does no harm. */
export function dropStep(folder: string, snapshot: string): Step {
  return {
    id: 'drop',
    title: 'Remove the old application and the snapshot',
    pointOfNoReturn: true,
    async do(run) {
      try {
        await rm(applicationsOf(folder, run).going, { recursive: true, force: true })
        await removeBackup(snapshot)
      } catch (error) {
        run.warn(`What was there before could not be removed: ${(error as Error).message}`)
      }
    },
    check: () => 'not-done',
  }
}
