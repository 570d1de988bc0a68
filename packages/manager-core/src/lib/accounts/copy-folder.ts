import { chown, constants, cp, lstat, mkdir } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import type { SystemAccount } from './account.js'
import { runChain } from './program.js'

export interface CopyOptions {
  /** Paths in it that stay out, with all in them. */
  readonly without?: readonly string[]
  /** Stops it between two files. */
  readonly signal?: AbortSignal
  /** Whose the folder is that is copied. Default: the manager's. */
  readonly reader?: SystemAccount | undefined
  /** Whose the copy will be. Default: the manager's. */
  readonly writer?: SystemAccount | undefined
}

/** Files, folders and links as they are; sockets and pipes are of running programs. */
export async function copyFolder(from: string, to: string, options: CopyOptions = {}): Promise<void> {
  const { without = [], signal, reader, writer } = options
  if (reader || writer) return copyAsAccounts({ from, to, without, reader, writer, signal })
  await cp(from, to, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    async filter(path) {
      signal?.throwIfAborted()
      if (without.includes(relative(from, path))) return false
      const stat = await lstat(path)
      return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()
    },
  })
}

interface AccountCopy {
  /** Absolute, as `to`. */
  readonly from: string
  readonly to: string
  /** Relative paths that stay out, with all in them. */
  readonly without: readonly string[]
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
  const { from, to, without, reader, writer, signal } = options
  // Else the account makes it, in a folder of its own.
  if ((await lstat(dirname(to))).uid === process.getuid?.() && !(await lstat(to).catch(() => undefined))) {
    await mkdir(to, { mode: 0o700 })
    if (writer) await chown(to, writer.uid, writer.gid)
  }
  const left = without.map((path) => `--exclude=./${path}`)
  const script = 'mkdir -p -m 700 -- "$0" && exec tar --extract --no-same-owner --preserve-permissions --directory="$0"'
  await runChain(
    [
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
          '--',
          '.',
        ],
        accepted: [0, 1],
        account: reader,
      },
      { command: '/bin/sh', args: ['-c', script, to], account: writer },
    ],
    { signal },
  )
}
