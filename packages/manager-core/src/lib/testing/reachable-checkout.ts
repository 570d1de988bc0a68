import { mkdtempSync, rmdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { closedFolder } from '../accounts/why-not.js'

const checkout = fileURLToPath(new URL('../../../../../', import.meta.url)).replace(/\/$/, '')

/** Why this process cannot make accounts and become them; undefined: it can. */
export const whyNoAccounts = process.getuid?.() === 0 ? undefined : 'only root can make system accounts'

/** Whether other accounts can run what is in this checkout. */
const isReachable = [process.execPath, checkout].every((path) => closedFolder(path) === undefined)

/**
 * Whether the tests of a file can use system accounts here. Where other accounts cannot read the checkout, a test is
 * defined that runs the file where they can; without root, one that is skipped.
 *
 * @param file its `import.meta.url`
 */
export function canUseAccounts(file: string): boolean {
  if (whyNoAccounts === undefined && isReachable) return true
  it('passes where other accounts can read the checkout', { timeout: 300_000 }, async ({ skip }) => {
    if (whyNoAccounts !== undefined) return skip(whyNoAccounts)
    const { exitCode, output } = await runReachable(fileURLToPath(file))
    expect(output).toContain('passed')
    expect(exitCode, output).toBe(0)
    return undefined
  })
  return false
}

/**
 * Runs a test file of this checkout once more where other accounts can read it: below a temporary folder at which the
 * checkout is mounted, for the processes of that run only.
 */
async function runReachable(file: string): Promise<{ readonly exitCode: number; readonly output: string }> {
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
