import { tmpdir } from 'node:os'
import type { Writable } from 'node:stream'
import { unpackTar } from 'modern-tar/fs'
import type { TarHeader } from 'modern-tar'
import { ManagerError } from '../../../errors.js'

/**
 * Takes a tar and shows all its entries; nothing is written.
 *
 * @throws what `check` throws; by default ManagerError ERR_BACKUP for paths and links that lead out of it, devices, and
 *   set-uid files.
 */
export function inspectTar(check: EntryCheck = createEntryCheck()): Writable {
  return unpackTar(tmpdir(), {
    strict: true,
    maxDepth: Infinity,
    filter: (header) => {
      check(header)
      return false
    },
  })
}

export type EntryCheck = (header: TarEntry) => void

/** What is looked at. */
export type TarEntry = Pick<TarHeader, 'name' | 'type' | 'linkname' | 'mode'>

const types: ReadonlySet<string> = new Set(['file', 'directory', 'symlink', 'link'])

/** Checks one entry after the other. @param tops the only folders that they may be in; default: any */
export function createEntryCheck(tops?: readonly string[]): EntryCheck {
  const links = new Set<string>()
  return ({ name, type = 'file', linkname = '', mode = 0 }) => {
    const refuse = (why: string) => {
      throw new ManagerError('ERR_BACKUP', `"${name}" ${why}. Such entries are never backed up or restored.`)
    }
    const path = partsOf(name)
    if (!path) return refuse('leads out of the backup')
    if (tops && !tops.includes(path[0] ?? '')) return refuse(`is in none of the folders ${tops.join(', ')}`)
    if (isBelow(path, links)) return refuse('lies below a link')
    if (!types.has(type)) return refuse(`is a ${type}, not a file, folder or link`)
    if ((mode & 0o6000) !== 0 && type === 'file') return refuse('runs with the rights of its owner (set-uid)')
    if (type === 'link') {
      const target = partsOf(linkname)
      if (!target || isBelow(target, links)) return refuse(`is a link that leads out of the backup ("${linkname}")`)
    }
    if (type === 'symlink') {
      if (leadsOut(path.length - 1, linkname)) return refuse(`is a link that leads out of the backup ("${linkname}")`)
      links.add(path.join('/'))
    }
    return undefined
  }
}

/** Undefined for a path that leaves the archive's root. */
function partsOf(path: string): string[] | undefined {
  if (path.startsWith('/') || path.includes('\0')) return undefined
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return parts.length === 0 || parts.includes('..') ? undefined : parts
}

function isBelow(parts: readonly string[], links: ReadonlySet<string>): boolean {
  return parts.some((_part, at) => at > 0 && links.has(parts.slice(0, at).join('/')))
}

/**
 * `..` counts only in front: after a name that may itself be a link, it may lead anywhere.
 *
 * @param depth of the folder that the link is in
 */
function leadsOut(depth: number, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return true
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const first = parts.findIndex((part) => part !== '..')
  const ups = first === -1 ? parts.length : first
  return ups > depth || parts.slice(ups).includes('..')
}
