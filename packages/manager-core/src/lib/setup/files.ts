import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Piece } from './piece.js'
import { fingerprintOf } from './record.js'
import { tryRun } from './run.js'

/**
 * What is to be done with a piece: `create` it, `update` what setup wrote before, leave one that is the `same`, or one that
 * the operator has `changed`: beside that, what setup would write is put when it is `newer` than what it wrote before.
 * A `foreign` one was there before setup: links of that kind are the operator's, files are refused.
 */
export type PieceState = 'create' | 'update' | 'same' | 'changed' | 'newer' | 'foreign'

/** @param recorded fingerprint of what setup wrote there the last time */
export function stateOf({ text, isLink, path }: Piece, recorded: string | undefined, root: string): PieceState {
  const there = textAt(join(root, path), isLink)
  if (there === undefined) return 'create'
  const [now, wanted] = [fingerprintOf(there), fingerprintOf(text)]
  if (recorded === undefined) return now === wanted && !isLink ? 'same' : 'foreign'
  if (now === wanted) return 'same'
  if (now === recorded) return 'update'
  return wanted === recorded ? 'changed' : 'newer'
}

/** undefined: nothing is there. */
export function textAt(file: string, isLink = false): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (isLink) return stats.isSymbolicLink() ? readlinkSync(file) : ''
  return stats.isFile() ? readFileSync(file, 'utf8') : ''
}

/**
 * Writes a piece aside, has it checked, and puts it in its place.
 *
 * @returns folders that were made for it
 * @throws ManagerError ERR_FAILED when its program finds a fault
 */
export async function putPiece(
  { path, text, mode, isLink, checkedBy }: Piece,
  root: string,
): Promise<readonly string[]> {
  const file = join(root, path)
  const made = makeFolders(dirname(file))
  if (isLink) {
    rmSync(file, { force: true })
    symlinkSync(text, file)
    return made
  }
  // A dot at the start: no program reads it as its configuration yet. The same end: some programs go by it.
  const beside = join(dirname(file), `.new-${basename(file)}`)
  writeFileSync(beside, text, { mode })
  chmodSync(beside, mode)
  try {
    if (checkedBy !== undefined && root === '/') await check(checkedBy, beside, path)
    renameSync(beside, file)
  } finally {
    rmSync(beside, { force: true })
  }
  return made
}

async function check(program: readonly string[], file: string, path: string): Promise<void> {
  const { ok, output } = await tryRun([...program, file])
  // Where the program is not installed, what it checks is not used either.
  if (ok || /ENOENT/.test(output)) return
  throw new ManagerError('ERR_FAILED', `${program[0]} found an error in the new ${path}.`, { output })
}

/** Outermost first. */
function makeFolders(folder: string): readonly string[] {
  if (existsSync(folder)) return []
  const outer = makeFolders(dirname(folder))
  mkdirSync(folder, { mode: 0o755 })
  return [...outer, folder]
}

/**
 * Removes what setup wrote; what the operator has changed is put aside as `<name>.dpkg-old`, where nothing reads it.
 *
 * @returns where it was put aside
 */
export function removePiece(path: string, recorded: string, root: string): string | undefined {
  const file = join(root, path)
  const there = textAt(file, lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
  rmSync(`${file}.dpkg-dist`, { force: true })
  if (there === undefined) return undefined
  if (fingerprintOf(there) === recorded) {
    rmSync(file)
    return undefined
  }
  renameSync(file, `${file}.dpkg-old`)
  return `${file}.dpkg-old`
}

/** Innermost first, those that are empty. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch (error) {
      if (!['ENOTEMPTY', 'ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}
