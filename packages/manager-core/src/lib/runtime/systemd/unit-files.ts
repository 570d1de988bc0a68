import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../../accounts/remove-tree.js'
import { ManagerError } from '../../../errors.js'
import { writePrivateFile } from '../../files/write-private-file.js'
import { unitFolder } from '../../schedule/systemd.js'
import type { InstanceRef } from '../runtime.js'
import { systemctl } from './systemctl.js'
import { ownerLine, socketUnitOf } from './unit.js'

const folder = unitFolder(true, {})

/** Root's alone: what is in it is a secret, and systemd reads it before it becomes the account of the instance. */
const environments = '/etc/steward/instances'

const fileOf = (unit: string) => join(folder, unit)
const linkOf = (unit: string) => join(folder, 'multi-user.target.wants', unit)

export function environmentFileOf(unit: string): string {
  return join(environments, `${unit}.env`)
}

export interface UnitFiles {
  readonly text: string
  readonly environment: string
  /** Unit of its socket. Default: it has none. */
  readonly socket?: string | undefined
}

/**
 * Puts a unit, that of its socket and its environment in place, and reloads systemd when a unit has changed. When it fails,
 * nothing changes.
 *
 * @throws ManagerError ERR_STATE when there is a unit of that name that is not of this instance
 */
export async function writeUnit(
  ref: InstanceRef,
  unit: string,
  { text, environment, socket }: UnitFiles,
): Promise<void> {
  const units = [
    [unit, text],
    [socketUnitOf(unit), socket],
  ] as const
  for (const [each] of units) checkOwner(ref, each)
  const before = [...units.map(([each]) => fileOf(each)), environmentFileOf(unit)].map(
    (file) => [file, readIfThere(file)] as const,
  )
  try {
    await mkdir(environments, { recursive: true, mode: 0o700 })
    await chmod(environments, 0o700)
    await writePrivateFile(environmentFileOf(unit), environment)
    const changed = units.filter(([, wanted], at) => before[at]?.[1] !== wanted)
    if (changed.length === 0) return
    for (const [each, wanted] of changed) await setFile(fileOf(each), wanted, 0o644)
    await systemctl('daemon-reload')
  } catch (error) {
    for (const [file, old] of before) await setFile(file, old, file === environmentFileOf(unit) ? 0o600 : 0o644)
    throw error
  }
}

export function hasUnit(unit: string): boolean {
  return existsSync(fileOf(unit))
}

/** Whether it is started at the next boot. */
export async function setAtBoot(unit: string, isWanted: boolean): Promise<void> {
  if (!isWanted) return rm(linkOf(unit), { force: true })
  if (lstatSync(linkOf(unit), { throwIfNoEntry: false })) return
  await mkdir(join(linkOf(unit), '..'), { recursive: true })
  // What "systemctl enable" does, without having systemd read all units again.
  await symlink(fileOf(unit), linkOf(unit)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** With all that was set for it by hand. @returns whether systemd must be reloaded */
export async function removeUnit(ref: InstanceRef, unit: string): Promise<boolean> {
  if (isOfOther(ref, unit)) return false
  const isThere = hasUnit(unit)
  const overrides = [folder, `${folder}.control`].map((each) => join(each, `${unit}.d`))
  const files = [fileOf(unit), fileOf(socketUnitOf(unit)), environmentFileOf(unit)]
  for (const path of [linkOf(unit), ...files, ...overrides]) await removeTree(path)
  return isThere
}

function checkOwner(ref: InstanceRef, unit: string): void {
  if (!isOfOther(ref, unit)) return
  throw new ManagerError(
    'ERR_STATE',
    `The unit ${unit} already exists, and does not belong to the instance in ${ref.folder}.`,
    {
      help:
        `Check it: systemctl cat ${unit}. If it is not needed: systemctl disable --now ${unit}, then remove ` +
        fileOf(unit),
    },
  )
}

function isOfOther(ref: InstanceRef, unit: string): boolean {
  const text = readIfThere(fileOf(unit))
  return text !== undefined && !text.split('\n').includes(ownerLine(ref.folder))
}

/** Whole or not at all; undefined: it is removed. */
async function setFile(file: string, text: string | undefined, mode: number): Promise<void> {
  if (text === undefined) return rm(file, { force: true })
  await writeFile(`${file}.new`, text, { mode })
  await rename(`${file}.new`, file)
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
