import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { foreignKind } from '../accounts/foreign.js'
import { instanceHomeAt } from '../domain/home.js'
import { putRunFile } from './run-files.js'
import type { Copy, InstanceRef } from './runtime.js'

/** Says that copy b serves; not there: copy a does. */
const markerName = 'b-serves'

/** Path of the marker, for who looks at it by itself. */
export function servingMarker(folder: string): string {
  return join(instanceHomeAt(folder).run, markerName)
}

export function servingCopy(folder: string): Copy {
  return foreignKind(servingMarker(folder)) ? 'b' : 'a'
}

/** By one rename or removal; may be repeated. */
export function setServingCopy(folder: string, copy: Copy): void {
  if (copy === 'a') rmSync(servingMarker(folder), { force: true })
  else putRunFile(instanceHomeAt(folder).run, markerName, `${copy}\n`)
}

/** Where the files of a copy's processes are: by default, of the one that serves. */
export function runFolderOf({ folder, copy = servingCopy(folder) }: InstanceRef): string {
  const { run } = instanceHomeAt(folder)
  return copy === 'a' ? run : join(run, 'b')
}

/** The copies that are meant: all that there may be, the serving one first, or the one. */
export function copiesOf({ folder, copy }: InstanceRef): readonly Copy[] {
  if (copy !== undefined) return [copy]
  return servingCopy(folder) === 'a' ? ['a', 'b'] : ['b', 'a']
}

/** Their folders. */
export function runFoldersOf(ref: InstanceRef): readonly string[] {
  return copiesOf(ref).map((copy) => runFolderOf({ ...ref, copy }))
}
