import type { SystemAccount } from './account.js'

/** The operator's variables that say how programs run here, and no secrets. */
const passedOn = /^(PATH|HOME|LANG|LC_[A-Z]+|TZ|TMPDIR)$/

/**
 * What the code of an instance finds in its environment beside its own variables. With an account: nothing that leads to
 * folders of the manager's user, which are closed for it.
 *
 * @param home its home folder then
 */
export function plainEnvironment(home: string, account: SystemAccount | undefined): Record<string, string> {
  const all = Object.entries(process.env) as [string, string][]
  const own = Object.fromEntries(all.filter(([name]) => passedOn.test(name)))
  if (!account) return own
  const { TMPDIR: _, ...others } = own
  return { ...others, HOME: home }
}
