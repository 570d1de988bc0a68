import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { moveTo } from '../accounts/places.js'
import { accountAt } from '../accounts/account.js'
import { copyFolder } from '../accounts/copy-folder.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { Step, StepRun } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'
import { fileError } from '../files/file-error.js'
import { syncPath } from '../files/tree.js'
import { pinServerIn } from '../servers/application-server.js'
import { keepPoint, removeExpiredPoints, type KeptPoint } from './restore-points.js'

/**
 * Names of the application that comes, the one that goes, and the one that serves meanwhile, in the home of the instance.
 */
export function applicationsOf(folder: string, { operation }: Pick<StepRun, 'operation'>) {
  return {
    now: instanceHomeAt(folder).app,
    coming: join(folder, `app.new-${operation}`),
    going: join(folder, `app.old-${operation}`),
    meanwhile: join(folder, `app.try-${operation}`),
    base: instanceHomeAt(folder).tomcat,
    oldBase: join(folder, `tomcat.old-${operation}`),
  }
}

/**
 * Copies the new application beside, while the old one runs.
 *
 * @param twice also for a copy that serves while the other application is put into its place
 */
export function besideStep(folder: string, template: string, { twice = false } = {}): Step {
  const targetsOf = (run: StepRun) => {
    const { coming, meanwhile } = applicationsOf(folder, run)
    return twice ? [coming, meanwhile] : [coming]
  }
  return {
    id: 'beside',
    title: 'Copy the new application',
    async do(run) {
      for (const target of targetsOf(run)) {
        try {
          const account = accountAt(folder)
          await removeTree(target, account)
          const { signal, warn } = run
          // A restore point is the instance's own; a template has no links out.
          await copyFolder(template, target, { keepsLinks: true, signal, writer: account, warn })
          await pinServerIn(run, target)
        } catch (error) {
          throw fileError(error, `Cannot copy the new application to ${target}`)
        }
      }
    },
    async undo(run) {
      for (const target of targetsOf(run)) await removeTree(target, accountAt(folder))
    },
    check: () => 'not-done',
  }
}

/**
 * By two renames; nothing runs in its folder. The base of Tomcat goes, too: the next start makes a new one. Source:
 * docs/spec/instances-manager.md, "Events": upgrades install the application server again.
 */
export function switchStep(folder: string): Step {
  return {
    id: 'switch',
    title: 'Switch to the new application',
    async do(run) {
      const { now, coming, going, base, oldBase } = applicationsOf(folder, run)
      try {
        if (!existsSync(going)) await moveTo(now, going)
        if (existsSync(coming)) await moveTo(coming, now)
        if (existsSync(base) && !existsSync(oldBase)) await moveTo(base, oldBase)
        await syncPath(folder)
      } catch (error) {
        throw fileError(error, `Cannot switch the application in ${folder}`)
      }
    },
    async undo(run) {
      const { now, coming, going, base, oldBase } = applicationsOf(folder, run)
      if (existsSync(oldBase)) {
        await removeTree(base, accountAt(folder))
        await moveTo(oldBase, base)
      }
      if (!existsSync(going)) return
      if (existsSync(now)) await moveTo(now, coming)
      await moveTo(going, now)
      await syncPath(folder)
    },
    check(run) {
      const { now, going, base, oldBase } = applicationsOf(folder, run)
      return existsSync(going) && existsSync(now) && (existsSync(oldBase) || !existsSync(base)) ? 'done' : 'not-done'
    },
  }
}

/**
 * From here on the new version stays. What cannot be kept or removed is only reported: it does no harm.
 *
 * @param kept what becomes a restore point, unless APPS_RESTOREPOINTDAYS is 0. Default: nothing is kept.
 */
export function removeOldApplicationStep(folder: string, kept?: KeptPoint): Step {
  return {
    id: 'drop',
    title: kept ? 'Keep the old application as a restore point' : 'Remove the old application',
    pointOfNoReturn: true,
    async do(run) {
      try {
        const { going, meanwhile, oldBase } = applicationsOf(folder, run)
        if (kept) await keepPoint(run.context, kept, going)
        for (const old of [going, meanwhile, oldBase]) await removeTree(old, accountAt(folder))
        await removeExpiredPoints(run.context, folder)
      } catch (error) {
        run.warn(`The old application could not be kept or removed: ${(error as Error).message}`)
      }
    },
    check: () => 'not-done',
  }
}
