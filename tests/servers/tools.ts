import { tryToInstall } from './install.js'
import { hasCommand } from './programs.js'

/** Programs that tests of the instances manager work with, and the Debian packages that hold them. */
const packageOf = {
  bash: 'bash',
  git: 'git',
  goaccess: 'goaccess',
  sqlite3: 'sqlite3',
  zstd: 'zstd',
} as const

export type Tool = keyof typeof packageOf

/** Carries why tools are missing from the set-up to the tests. */
const reasonVariable = 'TEST_TOOLS_REASON'

/** Installs those that are missing, where that is possible. */
export async function provideTools(): Promise<void> {
  const missing = (Object.keys(packageOf) as Tool[]).filter((name) => !hasCommand(name))
  if (missing.length === 0) return
  const reason = await tryToInstall(missing.map((name) => packageOf[name]))
  if (reason === undefined) return
  process.env[reasonVariable] = reason
  process.stderr.write(`Tests that need ${missing.join(', ')} are skipped: not installed, and ${reason}.\n`)
}

/**
 * Why a test that needs this program must be skipped; undefined when it is there.
 *
 * @throws Error in CI, where the set-up provides it.
 */
export function toolIsMissing(name: Tool): string | undefined {
  if (hasCommand(name)) return undefined
  const reason = `${name} is not installed, and ${process.env[reasonVariable] ?? 'the test set-up did not run'}.`
  if (process.env.CI) throw new Error(`A program is missing in CI: ${reason}`)
  return reason
}
