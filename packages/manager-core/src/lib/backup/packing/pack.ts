import { relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { packTar } from 'modern-tar/fs'
import { runFilter } from './program.js'
import { packingTools } from './tools.js'

export interface PackOptions {
  /** Absolute. */
  readonly folder: string
  /** Files and folders in it, by their relative paths. */
  readonly entries: readonly string[]
  /** Relative paths that stay out, with all in them. */
  readonly without?: readonly string[]
  /** Files may change while they are read. */
  readonly online?: boolean
}

export interface Packing {
  readonly content: Readable
  /** Resolves with warnings: files that changed while they were read. The content is good only then. */
  readonly done: Promise<readonly string[]>
}

/** A tar in posix format, sorted, with numeric owners: by GNU tar when it is there, else by Node. */
export async function packFolder({ folder, entries, without = [], online = false }: PackOptions): Promise<Packing> {
  if ((await packingTools()).tar === undefined) return packInNode(folder, entries, without)
  // GNU tar ends with 1 when a file changed while it was read, with 2 when it could not read one.
  const filter = runFilter(
    'tar',
    [
      ...['--create', '--format=posix', '--sort=name', '--numeric-owner', '--pax-option=delete=atime,delete=ctime'],
      ...['--anchored', '--no-wildcards', ...without.map((path) => `--exclude=${path}`)],
      ...[`--directory=${folder}`, '--', ...entries],
    ],
    online ? [0, 1] : [0],
  )
  filter.stream.end()
  return {
    content: filter.stream,
    done: filter.done.then((code) => (code === 1 ? [`Files changed while they were read: ${filter.errors()}`] : [])),
  }
}

function packInNode(folder: string, entries: readonly string[], without: readonly string[]): Packing {
  const isLeftOut = (path: string) => without.some((left) => path === left || path.startsWith(`${left}${sep}`))
  const content = packTar(
    entries.map((entry) => ({ type: 'directory' as const, source: `${folder}/${entry}`, target: entry })),
    {
      filter: (path, stat) =>
        !isLeftOut(relative(folder, path)) && (stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()),
      map: (header) => ({ ...header, uname: '', gname: '' }),
    },
  )
  return { content, done: Promise.resolve([]) }
}
