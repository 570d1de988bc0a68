import { chown, lstat, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SystemAccount } from '../../accounts/account.js'
import { runChain } from './program.js'

export interface CopyAsAccountsOptions {
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
export async function copyAsAccounts(options: CopyAsAccountsOptions): Promise<void> {
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
          ...['--create', '--format=posix', '--numeric-owner', '--anchored', '--no-wildcards', ...left],
          ...[`--directory=${from}`, '--', '.'],
        ],
        accepted: [0, 1],
        account: reader,
      },
      { command: '/bin/sh', args: ['-c', script, to], account: writer },
    ],
    { signal },
  )
}
