import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Home } from '../domain/home.js'
import type { Instance } from '../domain/instance.js'

/** What `trash.json` records about a folder in the trash. No secrets: they stay in the folder's `settings.sh`. */
export interface TrashRecord {
  readonly format: 1
  /** Why it is there: the instance was deleted, or reset or restored, and this is what it was before. */
  readonly reason: 'delete' | 'reset' | 'restore'
  /** ISO 8601 */
  readonly deleted: string
  /** From then on it may be removed for good. */
  readonly expires: string
  /** Its row of the registry. */
  readonly instance: Instance
  /** Name and user of its database; of SQLite the file below its home. */
  readonly database: { readonly name: string; readonly user: string }
}

export interface TrashEntry extends TrashRecord {
  /** Name of its folder: `<name>-<UTC yyyymmddThhmmssZ>-<id>`. */
  readonly entry: string
  readonly folder: string
}

export const trashFile = 'trash.json'

/** A name that no folder in the trash has. */
export function newEntryName(home: Home, { name, id }: Pick<Instance, 'name' | 'id'>, at: Date): string {
  const stamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const base = `${name}-${stamp}-${id}`
  let entry = base
  for (let n = 2; existsSync(join(home.trash, entry)); n++) entry = `${base}-${n}`
  return entry
}

/** Newest first. Folders without a record are none of ours. */
export async function listTrash(home: Home): Promise<readonly TrashEntry[]> {
  const names = await readdir(home.trash).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const entries = await Promise.all(names.map((entry) => readEntry(home, entry)))
  return entries
    .filter((entry) => entry !== undefined)
    .toSorted((a, b) => b.deleted.localeCompare(a.deleted) || a.entry.localeCompare(b.entry))
}

export async function readEntry(home: Home, entry: string): Promise<TrashEntry | undefined> {
  const folder = join(home.trash, entry)
  let text: string
  try {
    text = await readFile(join(folder, trashFile), 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  const record = recordOf(text)
  return record && { ...record, entry, folder }
}

/** A record that was changed by hand, or is cut off, is none. */
function recordOf(text: string): TrashRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<TrashRecord> | null
    return record?.format === 1 && record.instance && record.database ? (record as TrashRecord) : undefined
  } catch {
    return undefined
  }
}

/**
 * By the entry's name, or by the name that the instance had when it is there once.
 *
 * @throws ManagerError ERR_NOT_FOUND, ERR_USAGE when several have that name.
 */
export async function findEntry(home: Home, text: string): Promise<TrashEntry> {
  const all = await listTrash(home)
  const exact = all.find(({ entry }) => entry === text)
  if (exact) return exact
  const named = all.filter(({ instance }) => instance.name.toLowerCase() === text.toLowerCase())
  if (named.length === 1) return named[0] as TrashEntry
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  if (named.length === 0)
    throw new ManagerError('ERR_NOT_FOUND', `"${shown}" is not in the trash.`, { command: 'trash' })
  throw new ManagerError('ERR_USAGE', `"${shown}" is in the trash more than once.`, {
    help: `Use one of: ${named.map(({ entry }) => entry).join(', ')}.`,
    command: 'trash',
  })
}
