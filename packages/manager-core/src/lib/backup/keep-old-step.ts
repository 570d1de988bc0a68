import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, moveTo } from '../accounts/places.js'
import { accountAt } from '../accounts/account.js'
import { copyFolder } from '../accounts/copy-folder.js'
import { openHome } from '../accounts/give.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { Step } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'
import { fileError } from '../files/file-error.js'
import { writeRecord, type TrashFacts } from '../instances/trash-step.js'
import { restoreWorkOf } from './restore-data-steps.js'

/** Where what a restore replaces goes. */
export type KeptState = {
  /** Absolute, and free. */
  readonly trash: string
  /** Its name there. */
  readonly entry: string
  readonly record: TrashFacts
}

/** For an instance whose application stays, a copy: what goes to the trash can be restored as a whole. */
export function copyApplicationStep(folder: string): Step {
  return {
    id: 'restore-keep-app',
    title: 'Copy its application for the trash',
    async do(run) {
      const { old } = restoreWorkOf(run)
      try {
        const account = accountAt(folder)
        await removeTree(old.app, account)
        await makeFolder(old.folder, 0o700)
        if (account) await openHome(old.folder, account)
        const accounts = { reader: account, writer: account }
        await copyFolder(instanceHomeAt(folder).app, old.app, { keepsLinks: true, signal: run.signal, ...accounts })
      } catch (error) {
        throw fileError(error, 'Cannot copy its application')
      }
    },
    // It goes with what was unpacked.
    check: () => 'not-done',
  }
}

/** Moves what was there before into the trash, with its database; from now on it is not put back. */
export function keepOldStep(folder: string, { trash, entry, record }: KeptState): Step {
  return {
    id: 'restore-old',
    title: 'Move the previous contents to the trash',
    pointOfNoReturn: true,
    async do(run) {
      const { folder: work, old } = restoreWorkOf(run)
      try {
        if (existsSync(old.folder) && !existsSync(trash)) {
          // An embedded database needs no other settings.
          if (!existsSync(old.settings)) await copyFile(instanceHomeAt(folder).settings, old.settings)
          for (const part of [old.logs, old.run]) await makeFolder(part)
          await writeRecord(old.folder, record)
          await makeFolder(dirname(trash), 0o700)
          await moveTo(old.folder, trash)
        }
        await removeTree(work, accountAt(folder))
      } catch (error) {
        throw fileError(error, `Cannot move the previous contents to ${trash}`)
      }
      return { entry, expires: record.expires }
    },
    check: (run) => (existsSync(restoreWorkOf(run).folder) ? 'not-done' : 'done'),
  }
}
