import { isKey } from '../key.js'
import type { RemoteEntry, RemoteFile, RemoteFiles } from './remote-files.js'

export interface WalkOptions {
  /** Keys begin with it. */
  readonly prefix: string
  /** Keys that come after it. Empty: all. */
  readonly after: string
  readonly signal: AbortSignal | undefined
  /** Of which key a file is; undefined: of none. */
  keyOf(folder: string, name: string): string | undefined
}

export interface Found extends RemoteFile {
  readonly key: string
  readonly path: string
}

/** Files in the order of their keys. Only folders are read in which there can be some. */
export async function* walk(files: RemoteFiles, options: WalkOptions): AsyncGenerator<Found, void, undefined> {
  const folder = options.prefix.slice(0, options.prefix.lastIndexOf('/') + 1)
  const path = folder.slice(0, -1)
  if (path !== '' && !isKey(path)) return
  yield* walkFolder((await files.snapshot?.(path, options.signal)) ?? files, options, folder)
}

async function* walkFolder(
  files: Pick<RemoteFiles, 'list'>,
  options: WalkOptions,
  folder: string,
): AsyncGenerator<Found, void, undefined> {
  const { prefix, after, signal, keyOf } = options
  const entries = await files.list(folder.slice(0, -1), signal)
  for (const [name, entry] of inOrderOfKeys(entries)) {
    const path = folder + name
    if (entry.kind === 'folder') {
      const isPassed = after > path && !after.startsWith(path)
      const isWanted = path.startsWith(prefix) || prefix.startsWith(path)
      if (isWanted && !isPassed && !name.startsWith('.')) yield* walkFolder(files, options, path)
    } else if (entry.kind === 'file') {
      const key = keyOf(folder, name)
      if (key !== undefined && key > after && key.startsWith(prefix))
        yield { key, path, size: entry.size, modified: entry.modified }
    }
  }
}

/** Folders have a `/` behind their name, which gives the order of whole keys. */
function inOrderOfKeys(entries: readonly RemoteEntry[]): (readonly [string, RemoteEntry])[] {
  return entries
    .map((entry) => [entry.kind === 'folder' ? `${entry.name}/` : entry.name, entry] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}
