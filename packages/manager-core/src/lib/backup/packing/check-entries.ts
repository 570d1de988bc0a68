import { Transform } from 'node:stream'
import { ManagerError } from '../../../errors.ts'
import { leadsOut } from '../../files/leads-out.ts'
import type { TarContents } from './read-options.ts'
import { createTarReader, type TarEntry } from './tar-reader.ts'

/**
 * Lets a tar through, and shows each entry before what comes after it: see `createTarReader` for what is refused.
 *
 * @throws what `check` throws; by default ManagerError ERR_BACKUP for paths and links that lead out of it, and set-uid
 *   files. Error for what is refused.
 */
export function inspectTar(check: EntryCheck = createEntryCheck()): Transform {
  const reader = createTarReader(check)
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      try {
        reader.write(piece)
        done(null, piece)
      } catch (error) {
        done(error as Error)
      }
    },
    flush(done) {
      try {
        reader.end()
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })
}

export type EntryCheck = (header: TarEntry) => void

/** Checks one entry after the other. */
export function createEntryCheck({ tops, plainNames = false }: TarContents = {}): EntryCheck {
  /** Links, and where they lead to. */
  const links = new Map<string, string>()
  return ({ name, type = 'file', linkname = '', mode = 0 }) => {
    const refuse = (why: string) => {
      throw new ManagerError('ERR_BACKUP', `"${name}" ${why}. Such entries are never backed up or restored.`)
    }
    const isOutside = (path: readonly string[]) => tops && !tops.includes(path[0] ?? '')
    const path = partsOf(name)
    if (!path) return refuse('leads out of the backup')
    if (plainNames && !isPlainName(name))
      throw new ManagerError(
        'ERR_BACKUP',
        `${JSON.stringify(name)} can only be unpacked by GNU tar, which is not installed.`,
        {
          help: 'Install GNU tar.',
        },
      )
    if (isOutside(path)) return refuse(`is in none of the folders ${tops?.join(', ')}`)
    if (isBelow(path, links)) return refuse('lies below a link')
    if ((mode & 0o6000) !== 0 && type === 'file') return refuse('runs with the rights of its owner (set-uid)')
    const out = () => refuse(`is a link that leads out of the backup ("${linkname}")`)
    let leads = type === 'symlink' ? linkname : undefined
    if (type === 'link') {
      const target = partsOf(linkname)
      if (!target || isOutside(target) || isBelow(target, links)) return out()
      // A second name of a link leads elsewhere, from another folder.
      leads = links.get(target.join('/'))
    }
    if (leads === undefined) return undefined
    if (path.length === 1 && tops) return refuse('is a link, not a folder')
    if (leadsOut(path.length - 1, leads)) return out()
    links.set(path.join('/'), leads)
    return undefined
  }
}

/** Whether Node gives it no other form. */
export function isPlainName(name: string): boolean {
  return name.isWellFormed() && !/\\|^[A-Za-z]:/.test(name)
}

/** Undefined for a path that leaves the archive's root. */
function partsOf(path: string): string[] | undefined {
  if (path.startsWith('/') || path.includes('\0')) return undefined
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return parts.length === 0 || parts.includes('..') ? undefined : parts
}

function isBelow(parts: readonly string[], links: ReadonlyMap<string, string>): boolean {
  return parts.some((_part, at) => at > 0 && links.has(parts.slice(0, at).join('/')))
}
