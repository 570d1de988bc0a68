import { isKey } from './key.js'

/** Something in a folder. */
export interface Entry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'other'
}

/** Folders by their paths, without `/` at the end; the empty one is the root. */
export interface Folders<E extends Entry> {
  /** What is in a folder, in any order; empty when there is no such folder. */
  list(folder: string, signal?: AbortSignal): Promise<readonly E[]>
}

export interface WalkOptions {
  /** Keys begin with it. */
  readonly prefix: string
  /** Keys that come after it. Empty: all. */
  readonly after: string
  readonly signal: AbortSignal | undefined
  /** The key that a file belongs to; undefined: none. `folder` ends with `/`, or is empty. */
  keyOf(folder: string, name: string): string | undefined
}

export interface Found<E extends Entry> {
  readonly key: string
  readonly path: string
  readonly entry: E
}

/** Files in the order of their keys. Only folders are read in which there can be some. */
export async function* walk<E extends Entry>(
  folders: Folders<E>,
  options: WalkOptions,
): AsyncGenerator<Found<E>, void, undefined> {
  const folder = options.prefix.slice(0, options.prefix.lastIndexOf('/') + 1)
  const path = folder.slice(0, -1)
  if (path !== '' && !isKey(path)) return
  yield* walkFolder(folders, options, folder)
}

async function* walkFolder<E extends Entry>(
  folders: Folders<E>,
  options: WalkOptions,
  folder: string,
): AsyncGenerator<Found<E>, void, undefined> {
  const { prefix, after, signal, keyOf } = options
  const entries = await folders.list(folder.slice(0, -1), signal)
  for (const [name, entry] of inOrderOfKeys(entries)) {
    const path = folder + name
    if (entry.kind === 'folder') {
      const isPassed = after > path && !after.startsWith(path)
      const isWanted = path.startsWith(prefix) || prefix.startsWith(path)
      if (isWanted && !isPassed && !name.startsWith('.')) yield* walkFolder(folders, options, path)
    } else if (entry.kind === 'file') {
      const key = keyOf(folder, name)
      if (key !== undefined && key > after && key.startsWith(prefix)) yield { key, path, entry }
    }
  }
}

/** Folders have a `/` after their name, which gives the order of whole keys. */
function inOrderOfKeys<E extends Entry>(entries: readonly E[]): (readonly [string, E])[] {
  return entries
    .map((entry) => [entry.kind === 'folder' ? `${entry.name}/` : entry.name, entry] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}
