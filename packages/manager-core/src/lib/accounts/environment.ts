import type { SystemAccount } from './account.js'

const language = /^(LANG|LC_[A-Z]+|TZ)$/
/** Where things are on this machine. */
const places = /^(PATH|HOME|TMPDIR|NODE_COMPILE_CACHE)$/

/**
 * What the code of an instance finds in its environment beside its own variables: those of the operator that say how
 * programs run here, and no secrets. With an account: nothing that leads to folders of the manager's user, which are
 * closed for it.
 *
 * @param home its home folder then
 */
export function plainEnvironment(home: string, account: SystemAccount | undefined): Record<string, string> {
  if (!account) return { ...languageEnvironment(), ...variables(places) }
  return { ...languageEnvironment(), ...variables(/^PATH$/), HOME: home }
}

/** The same for code that finds nothing of this machine, as in a container. */
export function languageEnvironment(): Record<string, string> {
  return variables(language)
}

function variables(wanted: RegExp): Record<string, string> {
  const all = Object.entries(process.env) as [string, string][]
  return Object.fromEntries(all.filter(([name]) => wanted.test(name)))
}
