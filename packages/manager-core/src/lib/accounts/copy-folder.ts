import { chown, constants, cp, lstat, mkdir } from 'node:fs/promises'
import { dirname, relative, sep } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { SystemAccount } from './account.js'
import { runChain } from './program.js'

export interface CopyOptions {
  /** Paths in it that stay out, with all in them. */
  readonly without?: readonly string[]
  /** Paths of folders in it: nothing else is copied, and those that are not there are left out. Default: all. */
  readonly only?: readonly string[]
  /** Stops it between two files. */
  readonly signal?: AbortSignal
  /** Whose the folder is that is copied. Default: the manager's. */
  readonly reader?: SystemAccount | undefined
  /** Whose the copy will be. Default: the manager's. */
  readonly writer?: SystemAccount | undefined
}

/** Files, folders and links as they are; sockets and pipes are of running programs. */
export async function copyFolder(from: string, to: string, options: CopyOptions = {}): Promise<void> {
  const { without = [], only, signal, reader, writer } = options
  if (reader || writer) return copyAsAccounts({ from, to, without, only, reader, writer, signal })
  const isWanted = only === undefined ? () => true : belowAny(only)
  await cp(from, to, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    async filter(path) {
      signal?.throwIfAborted()
      if (without.includes(relative(from, path)) || !isWanted(relative(from, path))) return false
      const stat = await lstat(path)
      return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()
    },
  })
}

/** Whether a path is one of these, below one, or leads to one. */
function belowAny(paths: readonly string[]): (path: string) => boolean {
  const wanted = new Set(paths)
  const parents = new Set(['', ...paths.flatMap(parentsOf)])
  return (path) => parents.has(path) || wanted.has(path) || parentsOf(path).some((parent) => wanted.has(parent))
}

/** `a/b/c` has `a/b` and `a`. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split(sep)
  return parts.slice(1).map((_part, at) => parts.slice(0, at + 1).join(sep))
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
