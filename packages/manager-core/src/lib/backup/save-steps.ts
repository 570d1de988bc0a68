import { existsSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { moveTo } from '../accounts/places.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { Step, StepRun } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { fileError } from '../files/file-error.js'
import { syncPath } from '../files/tree.js'
import { resumeSource } from '../instances/while-suspended.js'
import type { Manifest } from './backup.js'
import { manifestName, storedBytes } from './manifest.js'
import { removeBackup } from './remove-backup.js'
import { writeBackup } from './write-backup.js'

/** Beside the folder that it becomes, under a name that is not a backup's. */
const partOf = (target: string) => `${target}.part`

export interface SaveStepsOptions {
  readonly instance: { readonly id: string; readonly name: string }
  /** Home of the instance. */
  readonly folder: string
  /** Folder of the backup: absolute, not there yet. */
  readonly target: string
  /** See `Backup.key`; its last part will do. */
  readonly backup: string
  /** Freeze it while files are read. */
  readonly suspend: boolean
  /** Also its settings, with its passwords, and the key of its tokens. */
  readonly secrets: boolean
  /** As the settings say; else not at all, for what stays here for a while. */
  readonly encrypt: boolean
}

/**
 * Dumps the database and packs the files beside `target`, verifies them by reading, and gives the folder its name; undo
 * removes it.
 */
export function saveSteps(options: SaveStepsOptions): readonly Step[] {
  return [writeStep(options), publishStep(options)]
}

function writeStep({ instance, folder, target, backup, suspend, secrets, encrypt }: SaveStepsOptions): Step {
  const ref = { id: instance.id, folder }
  return {
    id: 'save',
    title: 'Back up database and files, and verify them',
    intent: async (run) => ({ consistency: await consistencyOf(run, ref, suspend) }),
    async do(run) {
      const { files } = await writeBackup(run, {
        instance: run.context.registry.byId(instance.id) as Instance,
        folder,
        target: partOf(target),
        id: backup.slice(backup.indexOf('/') + 1),
        secrets,
        encrypt,
        consistency: (run.intent as { consistency: Manifest['consistency'] }).consistency,
      })
      return { backup, folder: target, bytes: storedBytes(files) }
    },
    async undo({ context, intent }) {
      // A command that was killed while it was frozen left it so.
      if ((intent as { consistency: string }).consistency === 'suspended') await resumeSource(context, ref)
      await removeTree(partOf(target))
      // When it was the first one, its folder goes, too.
      await rmdir(dirname(target)).catch(() => undefined)
    },
    check: () => 'not-done',
  }
}

async function consistencyOf(
  { context }: StepRun,
  ref: { readonly id: string; readonly folder: string },
  suspend: boolean,
): Promise<Manifest['consistency']> {
  const runtime = context.runtimes.of(ref)
  const { state } = await runtime.observe(ref)
  if (state === 'stopped' || state === 'crashed') return 'stopped'
  const mayFreeze = state === 'started' || state === 'degraded' || state === 'suspended'
  return suspend && mayFreeze && runtime.capabilities.suspend ? 'suspended' : 'online'
}

function publishStep({ target }: SaveStepsOptions): Step {
  return {
    id: 'publish',
    title: 'Finalize the backup',
    async do() {
      if (existsSync(target)) return
      try {
        await moveTo(partOf(target), target)
        await syncPath(dirname(target))
      } catch (error) {
        throw fileError(error, `Cannot rename ${partOf(target)} to ${target}`)
      }
    },
    undo: () => removeBackup(target),
    check: () => (existsSync(join(target, manifestName)) ? 'done' : 'not-done'),
  }
}
