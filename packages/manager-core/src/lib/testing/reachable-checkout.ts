import { mkdtempSync, rmdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { closedFolder } from '../accounts/why-not.js'

const checkout = fileURLToPath(new URL('../../../../../', import.meta.url)).replace(/\/$/, '')

/** Why this process cannot make accounts and become them; undefined: it can. */
export const whyNoAccounts = process.getuid?.() === 0 ? undefined : 'only root can make system accounts'

/** Whether other accounts can run what is in this checkout. */
export const isReachable = [process.execPath, checkout].every((path) => closedFolder(path) === undefined)

/**
 * Runs a test file of this checkout once more where other accounts can read it: below a temporary folder at which the
 * checkout is mounted, for the processes of that run only.
 */
export async function runReachable(file: string): Promise<{ readonly exitCode: number; readonly output: string }> {
  const place = mkdtempSync('/tmp/steward-checkout-')
  const moved = (path: string) => (path.startsWith(`${checkout}/`) ? join(place, relative(checkout, path)) : path)
  const script = 'mount --bind "$1" "$2" && chmod 755 "$2" && cd "$2" && shift 2 && exec "$@"'
  try {
    const { exitCode = 1, all } = await execa(
      'unshare',
      [
        ...['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', checkout, place],
        ...[moved(process.execPath), join(place, 'node_modules/vitest/vitest.mjs'), 'run', moved(file)],
        ...['--configLoader', 'runner', '--root', place],
      ],
      { all: true, reject: false, stdin: 'ignore', env: { TMPDIR: '/tmp', VITEST: undefined } },
    )
    return { exitCode, output: all }
  } finally {
    rmdirSync(place)
  }
}
