import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { removeTreeSync } from '../accounts/remove-tree.js'
import { ManagerError } from '../../errors.js'
import type { SetupOptions } from './options.js'

/**
 * What setup made on this machine, in a folder that only root writes to: it is root who removes what is named here.
 */
export interface SetupRecord {
  readonly options: SetupOptions
  /** Program and version of the manager that ran setup last. */
  readonly command: readonly string[]
  readonly version: string
  /** What was not there before: the account, the home, folders of files. */
  readonly madeAccount: boolean
  readonly madeHome: boolean
  readonly madeFolders: readonly string[]
  /** Fingerprints of what setup wrote, by path. */
  readonly pieces: Readonly<Record<string, string>>
  readonly proxy: 'nginx' | 'httpd' | 'none'
}

const folder = '/etc/steward'
/** Homes of managers of this machine, so that commands find the home by themselves: the first line. */
export const homeFile = `${folder}/home`

export function recordFile(service: string): string {
  return `${folder}/${service}.json`
}

/** @param root folder that stands for `/` */
export function readRecord(root: string, service: string): SetupRecord | undefined {
  const file = join(root, recordFile(service))
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SetupRecord
  } catch (error) {
    throw new ManagerError('ERR_STATE', `The record of setup cannot be read: ${file}.`, {
      cause: error,
      help: 'Restore it from a copy, or move it away and remove what setup created manually.',
    })
  }
}

export function writeRecord(root: string, record: SetupRecord): void {
  const file = join(root, recordFile(record.options.service))
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  writeFileSync(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o644, flush: true })
  renameSync(`${file}.new`, file)
}

export function removeRecord(root: string, service: string): void {
  rmSync(join(root, recordFile(service)), { force: true })
  const left = join(root, folder)
  if (existsSync(left) && readdirSync(left).length === 0) removeTreeSync(left)
}

/** All that is recorded, whatever their service. */
export function allRecords(root: string): readonly SetupRecord[] {
  const place = join(root, folder)
  if (!existsSync(place)) return []
  return readdirSync(place)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readRecord(root, name.slice(0, -'.json'.length)) ?? [])
}

export function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
