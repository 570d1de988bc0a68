import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder, moveTo } from '../accounts/places.js'
import { accountAt, writeAccount } from '../accounts/account.js'
import { copyFolder } from '../accounts/copy-folder.js'
import { endAllOf } from '../accounts/end-all-of.js'
import { giveHome, openHome } from '../accounts/give.js'
import { removeHome } from '../accounts/remove-tree.js'
import type { Step, StepRun } from '../context.js'
import { instanceHomeAt, type Home, type InstanceHome } from '../domain/home.js'
import { fileError } from '../files/file-error.js'
import { pinServerIn } from '../servers/application-server.js'
import { madeAccount } from './account-step.js'

/** Where an operation lays out an instance's home before it goes live: `instances/.<operation>`. */
export function stageIn({ instances }: Pick<Home, 'instances'>, operation: string): string {
  return join(instances, `.${operation}`)
}

/** Where a restore works, beside the homes of instances: what comes, and under `old` what was there. */
export function restoreWorkIn({ instances }: Pick<Home, 'instances'>, operation: string): string {
  return join(instances, `.${operation}.restore`)
}

export function stageOf({ context, operation }: Pick<StepRun, 'context' | 'operation'>): InstanceHome {
  return instanceHomeAt(stageIn(context.home, operation))
}

/** Names of the server's database that a restore puts in the place of the other one. */
export function restoredNames(operation: string, id: string): { readonly name: string; readonly user: string } {
  const name = `steward_${id}_${operation.replaceAll('-', '').slice(0, 8)}`
  return { name, user: name }
}

export interface LayoutOptions {
  /** Paths of the application that stay out. */
  readonly without?: readonly string[]
  /** It belongs to the account that `accountStep` made. */
  readonly isolated: boolean
}

/** Folders of a new home, and the application as a copy of `application` that shares its blocks where the disk can. */
export function layoutStep(application: string, { without = [], isolated }: LayoutOptions): Step {
  return {
    id: 'layout',
    title: 'Copy the application',
    async do(run) {
      const stage = stageOf(run)
      try {
        await removeHome(stage.folder)
        await makeFolder(stage.folder, 0o700)
        const account = isolated ? madeAccount(run) : undefined
        if (account) {
          await writeAccount(stage.folder, account)
          await openHome(stage.folder, account)
        }
        const reader = accountAt(dirname(application))
        const writer = reader && account
        const { signal, warn } = run
        const within = dirname(application)
        await copyFolder(application, stage.app, { without, within, signal, reader, writer, warn })
        await pinServerIn(run, stage.app)
        for (const folder of [stage.data, stage.logs, stage.run]) await makeFolder(folder)
        if (account) await giveHome(stage, account)
      } catch (error) {
        throw fileError(error, `Cannot copy the application to ${stage.folder}`)
      }
    },
    async undo(run) {
      await endAllOf(accountAt(stageOf(run).folder))
      await removeHome(stageOf(run).folder).catch((error: NodeJS.ErrnoException) => {
        // Where folders cannot be, there is none.
        if (error.code !== 'ENOTDIR') throw error
      })
    },
    // A half-copied application looks like a whole one, and nothing needs this answer: it lies before the point of no return.
    check: () => 'not-done',
  }
}

/** Makes what was laid out the instance's home, which is free. */
export function placeStep({ folder }: { readonly folder: string }): Step {
  return {
    id: 'place',
    title: 'Activate it',
    async do(run) {
      const stage = stageOf(run)
      if (!existsSync(stage.folder) && existsSync(folder)) return
      try {
        await moveTo(stage.folder, folder)
      } catch (error) {
        throw fileError(error, `Cannot move ${stage.folder} to ${folder}`)
      }
    },
    async undo(run) {
      const stage = stageOf(run)
      if (existsSync(folder) && !existsSync(stage.folder)) await moveTo(folder, stage.folder)
    },
    check: (run) => (existsSync(stageOf(run).folder) ? 'not-done' : existsSync(folder) ? 'done' : 'unknown'),
  }
}
