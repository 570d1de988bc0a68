import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode } from './files.js'

export interface WalkOptions {
  /** Keys begin with it. */
  readonly prefix: string
  /** Keys that come after it. Empty: all. */
  readonly after: string
  /** Which names of files are taken, and of which key they are; undefined: none. */
  keyOf(folderKey: string, name: string): string | undefined
}

export interface Found {
  readonly key: string
  readonly path: string
  readonly folder: string
}

/** Files below a folder in the order of their keys; only folders are read in which there can be some. */
export async function* walk(folder: string, options: WalkOptions, folderKey = ''): AsyncGenerator<Found> {
  const { prefix, after, keyOf } = options
  for (const [name, entry] of await entriesOf(folder)) {
    if (entry.isDirectory()) {
      const inner = folderKey + name
      const isPassed = after > inner && !after.startsWith(inner)
      if (!isPassed && !entry.name.startsWith('.') && (inner.startsWith(prefix) || prefix.startsWith(inner)))
        yield* walk(join(folder, entry.name), options, inner)
    } else if (entry.isFile()) {
      const key = keyOf(folderKey, name)
      if (key !== undefined && key > after && key.startsWith(prefix)) yield { key, path: join(folder, name), folder }
    }
  }
}

/** Folders have a `/` behind their name, which gives the order of whole keys. */
async function entriesOf(folder: string): Promise<(readonly [name: string, entry: Dirent])[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .map((entry) => [entry.isDirectory() ? `${entry.name}/` : entry.name, entry] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  } catch (error) {
    // It was removed meanwhile.
    if (isCode(error, 'ENOENT')) return []
    throw error
  }
}
