import { chmod, chown, constants, copyFile, lstat, mkdir, readlink, rm, symlink, utimes } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathFor } from '../files/file-names.js'
import type { SystemAccount } from './account.js'
import { ignoreReplaced, type ForeignEntry } from './foreign.js'
import { runChain } from './program.js'
import { closedError, visitTree } from './visit-tree.js'

export interface CopyOptions {
  /** Paths in it that stay out, with all in them. */
  readonly without?: readonly string[]
  /** Paths of folders in it: nothing else is copied, and those that are not there are left out. Default: all. */
  readonly only?: readonly string[] | undefined
  /** A folder that it is in, and that the copy has one like: links may lead about in it. Default: the folder itself. */
  readonly within?: string
  /** See `VisitTreeOptions`. */
  readonly keepsLinks?: boolean
  /** Stops it between two files. */
  readonly signal?: AbortSignal | undefined
  /** Whose the folder is that is copied. Default: the manager's. */
  readonly reader?: SystemAccount | undefined
  /** Whose the copy will be. Default: the manager's. */
  readonly writer?: SystemAccount | undefined
  /** Takes what stays out that a user must know of, in a sentence. */
  readonly warn?: ((text: string) => void) | undefined
}

/**
 * Copies a folder, by the rule of `visitTree`: nothing in the copy is shared with what it is made from.
 *
 * @throws ManagerError ERR_FAILED for what is not copied; what the file system says
 */
export async function copyFolder(from: string, to: string, options: CopyOptions = {}): Promise<void> {
  const { within = from, without = [], only, keepsLinks, signal, reader, writer, warn } = options
  await lstat(from)
  const top = relative(within, from) || '.'
  const paths = (those: readonly string[]) => those.map((path) => join(top, path))
  const tree = {
    folder: within,
    entries: [top],
    without: paths(without),
    only: only && paths(only),
    keepsLinks,
    reader,
    signal,
  }
  if (reader || writer) {
    const survey = await visitTree(tree)
    const left = survey.leftOut.map((path) => relative(top, path))
    try {
      await copyAsAccounts({ from, to, without: [...without, ...left], only, reader, writer, signal })
    } catch (error) {
      throw closedError(survey, error)
    }
    survey.warnings.forEach((warning) => warn?.(warning))
    return
  }
  await mkdir(dirname(to), { recursive: true })
  const folders: { readonly place: ReturnType<typeof pathFor>; readonly stats: ForeignEntry['stats'] }[] = []
  const addFolder = async (path: string, stats: ForeignEntry['stats']) => {
    const place = pathFor(path)
    await mkdir(place, { mode: 0o700 }).catch(ignoreThere)
    folders.push({ place, stats })
  }
  await addFolder(to, await lstat(from))
  const { warnings } = await visitTree(tree, async (entry) => {
    const path = join(to, relative(top, entry.path))
    if (entry.kind === 'folder') await addFolder(path, entry.stats)
    else await copyEntry(entry, pathFor(path)).catch(ignoreReplaced)
  })
  // What is in them changes them.
  for (const { place, stats } of folders.toReversed()) {
    await chmod(place, stats.mode & 0o7777)
    await utimes(place, stats.atime, stats.mtime)
  }
  warnings.forEach((warning) => warn?.(warning))
}

async function copyEntry({ at, kind, stats }: ForeignEntry, place: ReturnType<typeof pathFor>): Promise<void> {
  if (kind === 'file') {
    await copyFile(at, place, constants.COPYFILE_FICLONE)
    return utimes(place, stats.atime, stats.mtime)
  }
  const target = await readlink(at, { encoding: 'buffer' })
  await rm(place, { force: true })
  return symlink(target, place)
}

function ignoreThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

interface AccountCopy {
  /** Absolute, as `to`. */
  readonly from: string
  readonly to: string
  /** Relative paths that stay out, with all in them. */
  readonly without: readonly string[]
  /** Relative paths of what is copied. Default: all. */
  readonly only?: readonly string[] | undefined
  /** Whom it is read as, and written as. Default: this process's user. */
  readonly reader: SystemAccount | undefined
  readonly writer: SystemAccount | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Copies a folder that an account may change meanwhile, or into one: nothing is read that it may not read, and nothing
 * written where the other one may not write, whatever links there are, and whatever is said to be in the folder.
 */
async function copyAsAccounts(options: AccountCopy): Promise<void> {
  const { from, to, without, only, reader, writer, signal } = options
  // Else the account makes it, in a folder of its own.
  if ((await lstat(dirname(to))).uid === process.getuid?.() && !(await lstat(to).catch(() => undefined))) {
    await mkdir(to, { mode: 0o700 })
    if (writer) await chown(to, writer.uid, writer.gid)
  }
  const left = without.map((path) => `--exclude=./${path}`)
  const script = 'mkdir -p -m 700 -- "$0" && exec tar --extract --no-same-owner --preserve-permissions --directory="$0"'
  // Those that were removed meanwhile are left out.
  const choice = {
    command: '/bin/sh',
    args: ['-c', 'cd -- "$0" && while IFS= read -r path; do [ ! -d "$path" ] || printf "./%s\\0" "$path"; done', from],
    account: reader,
  }
  const entries = only ? ['--ignore-failed-read', '--null', '--verbatim-files-from', '--files-from=-'] : ['--', '.']
  await runChain(
    [
      ...(only ? [choice] : []),
      {
        command: 'tar',
        args: [
          '--create',
          '--format=posix',
          '--numeric-owner',
          '--anchored',
          '--no-wildcards',
          ...left,
          `--directory=${from}`,
          ...entries,
        ],
        accepted: [0, 1],
        account: reader,
      },
      // It unpacks what the reader's account gave.
      { command: '/bin/sh', args: ['-c', script, to], account: writer, withoutPrivileges: true },
    ],
    { signal, ...(only && { feed: (input: Writable) => writeLines(input, only) }) },
  )
}

function writeLines(input: Writable, lines: readonly string[]): Promise<void> {
  return pipeline(Readable.from(lines.map((line) => `${line}\n`)), input)
}
