import { spawnSync } from 'node:child_process'
import { tryToInstall } from './install.js'
import { findChromium, hasCommand } from './programs.js'

/** Where Chromium is: set by the test set-up, unless the user has set it to a browser of theirs. */
export const chromiumVariable = 'TEST_CHROMIUM'

/** Carries the reason for a missing browser from the set-up to the tests. */
export const chromiumReasonVariable = 'TEST_CHROMIUM_REASON'

/** The same browser without windows: it needs half of the time. */
const shell = 'chromium-headless-shell'

/** The packages that are needed to have one. */
export function missingChromium(): readonly string[] {
  if (process.env[chromiumVariable] || hasCommand(shell)) return []
  // Who has the other one may be on a system that has no such package.
  const isOffered = () => hasCommand('apt-cache') && spawnSync('apt-cache', ['show', shell]).status === 0
  return !findChromium() || isOffered() ? [shell] : []
}

/**
 * Finds Chromium, or installs it where that is possible. Without it, tests that need a browser are skipped with the
 * reason; with `CI` set, they fail.
 */
export async function provideChromium(): Promise<void> {
  if (process.env[chromiumVariable]) return
  let why = missingChromium().length > 0 ? await tryToInstall([shell]) : undefined
  if (!findChromium()) why = await tryToInstall(['chromium'])
  const path = findChromium()
  if (path) {
    process.env[chromiumVariable] = path
    return
  }
  const reason = `Chromium is not installed and ${why}; set ${chromiumVariable} to use a browser of yours.`
  process.env[chromiumReasonVariable] = reason
  process.stderr.write(`Tests in a browser are skipped: ${reason}\n`)
}
