import { tryToInstall } from './install.js'
import { findChromium } from './programs.js'

/** Where Chromium is: set by the test set-up, unless the user has set it to a browser of theirs. */
export const chromiumVariable = 'TEST_CHROMIUM'

/** Carries the reason for a missing browser from the set-up to the tests. */
export const chromiumReasonVariable = 'TEST_CHROMIUM_REASON'

/** The packages that are needed to have one. */
export function missingChromium(): readonly string[] {
  return process.env[chromiumVariable] || findChromium() ? [] : ['chromium']
}

/**
 * Finds Chromium, or installs it where that is possible. Without it, tests that need a browser are skipped with the
 * reason; with `CI` set, they fail.
 */
export async function provideChromium(): Promise<void> {
  if (process.env[chromiumVariable]) return
  const found = findChromium()
  const why = found ? undefined : await tryToInstall([...missingChromium()])
  const path = found ?? findChromium()
  if (path) {
    process.env[chromiumVariable] = path
    return
  }
  const reason = `Chromium is not installed and ${why}; set ${chromiumVariable} to use a browser of yours.`
  process.env[chromiumReasonVariable] = reason
  process.stderr.write(`Tests in a browser are skipped: ${reason}\n`)
}
