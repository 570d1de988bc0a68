import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { issueCertificate } from './issue.js'
import { dueCertificates, surveyCertificates, type Surveyed } from './survey.js'

export interface Renewal {
  readonly name: string
  readonly hosts: readonly string[]
  /** Absent: it was issued. */
  readonly error?: string
}

/**
 * Issues what is due, one after another; what fails keeps the others from nothing. The reverse proxy gets what was issued
 * with one publication.
 *
 * @param choose which ones; default: those that are due
 * @throws ManagerError when the reverse proxy cannot publish: nothing was tried
 */
export async function renewCertificates(
  context: ManagerContext,
  caller: Caller,
  choose: (surveyed: readonly Surveyed[]) => readonly Surveyed[] = (all) => dueCertificates(all, context.clock()),
  { force = false }: { readonly force?: boolean } = {},
): Promise<{ readonly renewals: readonly Renewal[]; readonly warnings: readonly string[] }> {
  const renewals: Renewal[] = []
  const chosen = choose(surveyCertificates(context))
  // The authority must find new hosts, which may not be published yet; an attempt that fails would be counted.
  if (chosen.length > 0) await context.proxies.publish(caller)
  for (const { name, hosts, state } of chosen) {
    caller.signal?.throwIfAborted()
    try {
      const action = state === 'missing' ? 'certificates issue' : 'certificates renew'
      await issueCertificate(context, hosts, caller, { action, force })
      renewals.push({ name, hosts })
    } catch (error) {
      renewals.push({ name, hosts, error: (error as Error).message })
    }
  }
  const isNew = renewals.some(({ error }) => error === undefined)
  return { renewals, warnings: isNew ? await publishCertificates(context, caller) : [] }
}

/** The reverse proxy uses them from now on. @returns why not, and what is wrong besides */
export async function publishCertificates(context: ManagerContext, caller: Caller): Promise<readonly string[]> {
  try {
    return (await context.proxies.publish(caller)).warnings
  } catch (error) {
    return [`The reverse proxy does not use it yet: ${(error as Error).message}`]
  }
}
