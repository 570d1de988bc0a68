import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder, moveTo } from '../accounts/places.js'
import type { Step } from '../context.js'
import { fileError } from '../files/file-error.js'
import { trashFile, type TrashRecord } from './trash.js'

/** A `TrashRecord` as facts have it. */
export type TrashFacts = {
  readonly [Key in keyof Omit<TrashRecord, 'instance'>]: TrashRecord[Key]
} & { readonly instance: { readonly [Key in keyof TrashRecord['instance']]: TrashRecord['instance'][Key] } }

export interface TrashStepOptions {
  /** Home of the instance. */
  readonly folder: string
  /** Where it goes, absolute and free. */
  readonly trash: string
  readonly record: TrashFacts
}

/** Moves the home of an instance that is stopped into the trash. One that has lost its home leaves a record only. */
export function trashStep({ folder, trash, record }: TrashStepOptions): Step {
  return {
    id: 'trash',
    title: 'Move its folder to the trash',
    async do() {
      const outcome = { entry: basename(trash) }
      if (existsSync(trash)) return outcome
      try {
        await makeFolder(dirname(trash), 0o700)
        await makeFolder(folder)
        await writeRecord(folder, record)
        await moveTo(folder, trash)
        return outcome
      } catch (error) {
        throw fileError(error, `Cannot move ${folder} to ${trash}`)
      }
    },
    async undo() {
      if (existsSync(trash) && !existsSync(folder)) await moveTo(trash, folder)
      await rm(join(folder, trashFile), { force: true })
    },
    check: () => (existsSync(trash) ? 'done' : 'not-done'),
  }
}

export function writeRecord(folder: string, record: TrashFacts): Promise<void> {
  return writeFile(join(folder, trashFile), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600, flush: true })
}
