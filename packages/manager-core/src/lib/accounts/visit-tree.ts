import { access, constants, readlink } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import { ManagerError } from '../../errors.js'
import { nameOf } from '../files/file-names.js'
import { leadsOut } from '../files/leads-out.js'
import type { SystemAccount } from './account.js'
import { foreignKind, ignoreReplaced, visitForeign, type ForeignEntry, type Visit } from './foreign.js'

export interface VisitTreeOptions {
  /** Absolute. Links may lead about in it, and not out of it. */
  readonly folder: string
  /** What of it is taken: paths of folders in it; `.`: all of it. Those that are not there are left out. */
  readonly entries: readonly string[]
  /** Paths in it that stay out, with all in them. */
  readonly without?: readonly string[]
  /** Paths of folders in it: nothing else is taken. Default: all. */
  readonly only?: readonly string[] | undefined
  /** Whom it is read as. Default: this process's user. */
  readonly reader?: SystemAccount | undefined
  /** Links are taken wherever they lead, because it stays with the same instance. Default: those that lead out are refused. */
  readonly keepsLinks?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface TreeSurvey {
  /** Size of its files. */
  readonly bytes: number
  /** Paths that stay out besides `without`, with all in them. */
  readonly leftOut: readonly string[]
  /** What a user must know of what stays out, in a sentence each. */
  readonly warnings: readonly string[]
  /** The first that the reader cannot read, as far as modes show. */
  readonly closed?: ManagerError | undefined
}

/** More are not listed. Not specified; chosen as more than any application has, and fewer than arguments of a program can be. */
const mostLeftOut = 1000
const mostWarnings = 10

/**
 * Visits what of a folder is backed up, copied, moved or downloaded. The one rule of it:
 *
 * - files, folders and links as they are, with their names, whatever bytes are in them
 * - pipes, sockets and devices stay out, with a warning: they belong to running programs, and have no content
 * - so does `lost+found`, which the file system keeps at the top of a disk, without a warning
 * - links that lead out are refused: what they lead to would not be in a backup, and be shared by a copy
 * - files that run with the rights of their owner are refused
 * - what cannot be read is refused
 *
 * @throws ManagerError ERR_FAILED for what is refused
 */
export async function visitTree(options: VisitTreeOptions, visit: Visit = () => undefined): Promise<TreeSurvey> {
  const { folder, entries, without = [], only, reader, keepsLinks = false, signal } = options
  const isWanted = only === undefined ? () => true : belowAny(only)
  const out = new Set(without)
  const leftOut: string[] = []
  const special: string[] = []
  let closed: ManagerError | undefined
  let bytes = 0
  const leave = (path: string): 'skip' => {
    // Programs are given them as arguments.
    if (!path.isWellFormed()) throw refusal(path, 'it is not a file, and its name is not UTF-8', 'Remove or rename it.')
    if (leftOut.push(path) > mostLeftOut)
      throw new ManagerError('ERR_FAILED', `${folder} has more than ${mostLeftOut} named pipes, sockets and devices.`, {
        help: 'Remove those that no program uses.',
      })
    return 'skip'
  }
  const refusal = (path: string, why: string, help: string) =>
    new ManagerError('ERR_FAILED', `${shown(join(folder, path))} cannot be backed up or copied: ${why}.`, { help })
  const checkLink = (path: string, target: string) => {
    if (!keepsLinks && leadsOut(path.split(sep).length - 1, target))
      throw refusal(
        path,
        `it is a link that leads out, to ${shown(target)}: a backup would lack what is there, and a copy would share it`,
        'Move what is there to the place of the link. If it has to be on another disk, mount it there (mount --bind).',
      )
  }
  const denial = ({ path, stats: { uid, mode } }: ForeignEntry) => {
    const [as, owner] = reader ? [reader.name, reader.name] : [`user ${process.getuid?.()}`, process.getuid?.()]
    const at = shown(join(folder, path))
    return refusal(
      path,
      `it belongs to user ${uid}, has the mode ${(mode & 0o7777).toString(8)}, and cannot be read by ${as}`,
      uid === (reader?.uid ?? owner) ? `Run: chmod u+rwX ${at}` : `As root, give it back: chown -hR ${owner}: ${at}`,
    )
  }
  for (const top of entries) {
    const kind = foreignKind(join(folder, top))
    if (kind === undefined) continue
    if (kind === 'link') checkLink(top, await linkAt(join(folder, top)))
    if (kind !== 'folder')
      throw refusal(top, 'it is not a folder', 'Move it away, and restore the folder from a backup.')
    const visitBelow = async (found: ForeignEntry) => {
      signal?.throwIfAborted()
      const path = join(top, found.path)
      const entry = { ...found, path }
      const { kind: its, stats } = entry
      if (out.has(path) || !isWanted(path)) return 'skip'
      if (its === 'other') {
        special.push(`${shown(path)} was left out: it is ${kindOfSpecial(entry)}, not a file.`)
        return leave(path)
      }
      if (isLostAndFound(entry, reader)) return leave(path)
      if (its === 'link') {
        const target = await linkAt(entry.at).catch(ignoreReplaced)
        // It went away meanwhile.
        if (target === undefined) return 'skip'
        checkLink(path, target)
      }
      if (its === 'file') {
        if ((stats.mode & 0o6000) !== 0)
          throw refusal(
            path,
            'it runs with the rights of its owner (set-uid)',
            `Run: chmod ug-s ${shown(join(folder, path))}`,
          )
        bytes += stats.size
      }
      if (its !== 'link' && !mayRead(entry, reader)) {
        // An access list may allow it all the same.
        if (reader) closed ??= denial(entry)
        else if (await isDenied(entry)) throw denial(entry)
      }
      return visit(entry)
    }
    await visitForeign(join(folder, top), visitBelow, {
      onClosed: (entry, error) => {
        throw error.code === 'EACCES' ? denial({ ...entry, path: join(top, entry.path) }) : error
      },
    })
  }
  const more = special.length - mostWarnings
  const warnings = [...special.slice(0, mostWarnings), ...(more > 0 ? [`So were ${more} others like these.`] : [])]
  return { bytes, leftOut, warnings, closed }
}

/** Why a program of the reader failed, when that is known from what was visited. */
export function closedError({ closed }: Pick<TreeSurvey, 'closed'>, error: unknown): unknown {
  return closed && (error as Error).message.includes('Permission denied') ? closed : error
}

/** A path or target in a message. */
function shown(path: string): string {
  return path.isWellFormed() && !/[\p{Cc}"\\]/u.test(path) ? path : JSON.stringify(path)
}

async function linkAt(at: string | Buffer): Promise<string> {
  return nameOf(await readlink(at, { encoding: 'buffer' }))
}

function kindOfSpecial({ stats }: ForeignEntry): string {
  if (stats.isFIFO()) return 'a named pipe'
  return stats.isSocket() ? 'a socket' : 'a device'
}

/** Where the file system puts what it finds again. It is root's, and closed. */
function isLostAndFound({ path, kind, stats }: ForeignEntry, reader: SystemAccount | undefined): boolean {
  if (kind !== 'folder' || basename(path) !== 'lost+found') return false
  const uid = reader?.uid ?? process.getuid?.()
  return stats.uid !== uid || (uid === 0 && (stats.mode & 0o777) === 0o700)
}

function mayRead({ kind, stats }: ForeignEntry, reader: SystemAccount | undefined): boolean {
  const uid = reader?.uid ?? process.getuid?.()
  if (uid === 0 || uid === undefined) return true
  const needed = kind === 'folder' ? 0o5 : 0o4
  const groups = reader ? [reader.gid] : [process.getgid?.(), ...(process.getgroups?.() ?? [])]
  const granted = stats.uid === uid ? stats.mode >> 6 : groups.includes(stats.gid) ? stats.mode >> 3 : stats.mode
  return (granted & needed) === needed
}

function isDenied({ at, kind }: ForeignEntry): Promise<boolean> {
  const { R_OK, X_OK } = constants
  return access(at, kind === 'folder' ? R_OK | X_OK : R_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'EACCES',
  )
}

/** Whether a path is one of these, below one, or leads to one. */
function belowAny(paths: readonly string[]): (path: string) => boolean {
  const wanted = new Set(paths)
  const parents = new Set(paths.flatMap(parentsOf))
  return (path) => parents.has(path) || wanted.has(path) || parentsOf(path).some((parent) => wanted.has(parent))
}

/** `a/b/c` has `a/b` and `a`. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split(sep)
  return parts.slice(1).map((_part, at) => parts.slice(0, at + 1).join(sep))
}
