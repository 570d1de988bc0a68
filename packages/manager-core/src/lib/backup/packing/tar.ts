import { relative, sep } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { packTar, unpackTar } from 'modern-tar/fs'
import type { TarHeader } from 'modern-tar'
import { ManagerError } from '../../../errors.js'
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

/** Takes a tar and writes what is in it into a folder; `only`: entries at its top. Refuses as `inspectTar` does. */
export function unpackInto(folder: string, only?: readonly string[]): Writable {
  return unpackTar(folder, {
    filter: (header) => {
      checkEntry(header)
      return only === undefined || only.includes(header.name.replace(/^(\.\/)+/, '').split('/')[0] as string)
    },
  })
}

/**
 * Takes a tar and looks at all its entries; nothing is written.
 *
 * @throws ManagerError ERR_BACKUP for paths and links out of it, devices, and set-uid files.
 */
export function inspectTar(): Writable {
  return unpackTar('/nowhere', {
    filter: (header) => {
      checkEntry(header)
      return false
    },
  })
}

const kinds = new Set(['file', 'directory', 'symlink', 'link', 'pax-header', 'pax-global-header'])

function checkEntry({ name, type, linkname, mode }: TarHeader): void {
  const refuse = (why: string) => {
    throw new ManagerError('ERR_BACKUP', `The backup holds "${name}", ${why}: it is not unpacked.`)
  }
  if (leaves(name)) refuse('which lies outside of it')
  if (!kinds.has(type ?? 'file')) refuse(`which is no file, folder or link (${type})`)
  if (((mode ?? 0) & 0o6000) !== 0 && type !== 'directory') refuse('which would run with the rights of its owner')
  if (type === 'link' && leaves(linkname ?? '')) refuse(`a link to "${linkname}" outside of it`)
  if (type === 'symlink' && leaves(`${name.split('/').slice(0, -1).join('/')}/${linkname}`, linkname))
    refuse(`a link to "${linkname}" outside of it`)
}

/** Whether a path, from the archive's root, leaves it. */
function leaves(path: string, target = path): boolean {
  if (target.startsWith('/') || path.includes('\0')) return true
  let depth = 0
  for (const part of path.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '' && part !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}
