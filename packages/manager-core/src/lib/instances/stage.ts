import { existsSync } from 'node:fs'
import { constants, cp, lstat, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { accountAt, writeAccount, type SystemAccount } from '../accounts/account.js'
import { endAllOf } from '../accounts/end-all-of.js'
import { giveHome, openHome } from '../accounts/give.js'
import { copyAsAccounts } from '../backup/packing/copy-as-accounts.js'
import { instanceHomeAt, type InstanceHome } from '../home.js'
import type { Step, StepRun } from '../operation/operation.js'
import { madeAccount } from './account-step.js'
import { pinServerIn } from './application-server.js'
import { fileError } from './file-error.js'

/** Where an operation lays out an instance's home before it goes live: `instances/.<operation>`. */
export function stageOf({ context, operation }: Pick<StepRun, 'context' | 'operation'>): InstanceHome {
  return instanceHomeAt(join(context.home.instances, `.${operation}`))
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
    title: 'Lay out folders and application',
    async do(run) {
      const stage = stageOf(run)
      try {
        await rm(stage.folder, { recursive: true, force: true })
        await mkdir(stage.folder, { recursive: true, mode: 0o700 })
        const account = isolated ? madeAccount(run) : undefined
        if (account) {
          await writeAccount(stage.folder, account)
          await openHome(stage.folder, account)
        }
        const reader = accountAt(dirname(application))
        const writer = reader && account
        await copyFolder(application, stage.app, { without, signal: run.signal, reader, writer })
        await pinServerIn(run, stage.app)
        for (const folder of [stage.data, stage.logs, stage.run]) await mkdir(folder)
        if (account) await giveHome(stage, account)
      } catch (error) {
        throw fileError(error, `Cannot lay out the instance in ${stage.folder}`)
      }
    },
    async undo(run) {
      await endAllOf(accountAt(stageOf(run).folder))
      await rm(stageOf(run).folder, { recursive: true, force: true, maxRetries: 3 }).catch(
        (error: NodeJS.ErrnoException) => {
          // Where folders cannot be, there is none.
          if (error.code !== 'ENOTDIR') throw error
        },
      )
    },
    // A half-copied application looks like a whole one, and nothing needs this answer: it lies before the point of no return.
    check: () => 'not-done',
  }
}

export interface CopyOptions {
  /** Paths in it that stay out, with all in them. */
  readonly without?: readonly string[]
  /** Stops it between two files. */
  readonly signal?: AbortSignal
  /** Whose the folder is that is copied. Default: the manager's. */
  readonly reader?: SystemAccount | undefined
  /** Whose the copy will be. Default: the manager's. */
  readonly writer?: SystemAccount | undefined
}

/** Files, folders and links as they are; sockets and pipes are of running programs. */
export async function copyFolder(from: string, to: string, options: CopyOptions = {}): Promise<void> {
  const { without = [], signal, reader, writer } = options
  if (reader || writer) return copyAsAccounts({ from, to, without, reader, writer, signal })
  await cp(from, to, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    async filter(path) {
      signal?.throwIfAborted()
      if (without.includes(relative(from, path))) return false
      const stat = await lstat(path)
      return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()
    },
  })
}

/** Makes what was laid out the instance's home, which is free. */
export function placeStep({ folder }: { readonly folder: string }): Step {
  return {
    id: 'place',
    title: 'Put it in its place',
    async do(run) {
      const stage = stageOf(run)
      if (!existsSync(stage.folder) && existsSync(folder)) return
      try {
        await rename(stage.folder, folder)
      } catch (error) {
        throw fileError(error, `Cannot move ${stage.folder} to ${folder}`)
      }
    },
    async undo(run) {
      const stage = stageOf(run)
      if (existsSync(folder) && !existsSync(stage.folder)) await rename(folder, stage.folder)
    },
    check: (run) => (existsSync(stageOf(run).folder) ? 'not-done' : existsSync(folder) ? 'done' : 'unknown'),
  }
}
