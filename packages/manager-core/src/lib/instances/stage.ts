import { existsSync } from 'node:fs'
import { constants, cp, lstat, mkdir, rename, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { instanceHomeAt, type InstanceHome } from '../home.js'
import type { Step, StepRun } from '../operation/operation.js'
import { pinServerIn } from './application-server.js'
import { fileError } from './file-error.js'

/** Where an operation lays out an instance's home before it goes live: `instances/.<operation>`. */
export function stageOf({ context, operation }: Pick<StepRun, 'context' | 'operation'>): InstanceHome {
  return instanceHomeAt(join(context.home.instances, `.${operation}`))
}

export interface LayoutOptions {
  /** Paths of the application that stay out. */
  readonly without?: readonly string[]
}

/** Folders of a new home, and the application as a copy of `application` that shares its blocks where the disk can. */
export function layoutStep(application: string, { without = [] }: LayoutOptions = {}): Step {
  return {
    id: 'layout',
    title: 'Lay out folders and application',
    async do(run) {
      const stage = stageOf(run)
      try {
        await rm(stage.folder, { recursive: true, force: true })
        await mkdir(stage.folder, { recursive: true, mode: 0o700 })
        await copyFolder(application, stage.app, { without, signal: run.signal })
        await pinServerIn(run, stage.app)
        for (const folder of [stage.data, stage.logs, stage.run]) await mkdir(folder)
      } catch (error) {
        throw fileError(error, `Cannot lay out the instance in ${stage.folder}`)
      }
    },
    async undo(run) {
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
}

/** Files, folders and links as they are; sockets and pipes are of running programs. */
export function copyFolder(from: string, to: string, { without = [], signal }: CopyOptions = {}): Promise<void> {
  return cp(from, to, {
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
