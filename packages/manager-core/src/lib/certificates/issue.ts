import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { recordHistory } from '../history/record-history.js'
import { failureOf } from '../system/failure.js'
import { lockOptionsOf } from '../system/lock-options.js'
import { forgetAttempts, noteAttempt, noteFailure, readAttempts } from './attempts.js'
import { storeCertificate } from './stored.js'

export interface IssueOptions {
  /** For the history. */
  readonly action: 'certificates issue' | 'certificates renew'
  /** Although it failed a short time ago. Default false. */
  readonly force?: boolean
}

/**
 * Issues one certificate for all hosts, called like the first one, in place of the one of that name. One at a time. Killed at
 * any point, the old one is there or the new one.
 *
 * @param hosts checked
 * @throws ManagerError ERR_SETTINGS without APPS_ACME; ERR_LIMIT before the pause after failures is over; ERR_BUSY;
 *   ERR_FAILED with what the authority says; ERR_DISK
 */
export async function issueCertificate(
  context: ManagerContext,
  hosts: readonly string[],
  caller: Caller,
  { action, force = false }: IssueOptions,
): Promise<void> {
  const { home, clock } = context
  const [name = ''] = hosts
  const acme = checkAcme(context)
  const names = hosts.join(', ')
  await context.locks.with(['certificates'], lockOptionsOf(caller, `certificate of ${names}`, clock()), async () => {
    const attempt = readAttempts(home)[name]
    if (attempt && !force && attempt.next > clock().toISOString())
      throw new ManagerError('ERR_LIMIT', `The certificate of ${name} failed at ${attempt.last}: ${attempt.message}`, {
        help: `The next attempt is after ${attempt.next}, because authorities limit failures. To try now, use --force.`,
      })
    // Not on a full disk: nothing would count how often the authority is asked.
    await noteAttempt(home, name, clock(), 'The attempt did not end.').catch(rethrow)
    const entry = { action, parameters: { hosts: [...hosts] } }
    await recordHistory(context, caller, entry, async () => {
      try {
        // Loaded here: other commands do not need what it needs of HTTP.
        const { orderCertificate } = await import('./order.js')
        const issued = await orderCertificate(context, acme, hosts, caller)
        await storeCertificate(home, name, { ...issued, at: clock() })
      } catch (error) {
        const failure = failureOf(error)
        await noteFailure(home, name, failure.message).catch(() => {})
        throw failure
      }
      await forgetAttempts(home, name)
      return { message: `A certificate was issued for ${names}` }
    })
  })
}

function rethrow(error: unknown): never {
  throw failureOf(error)
}

/** @throws ManagerError ERR_SETTINGS */
export function checkAcme({ settings }: Pick<ManagerContext, 'settings'>) {
  const { acme } = settings.global
  if (acme) return acme
  throw new ManagerError('ERR_SETTINGS', 'Issuing certificates is off: APPS_ACME is "no".', {
    help: 'Set APPS_ACME=yes in config.sh, and APPS_ACMEDIRECTORY for an authority other than Let’s Encrypt.',
  })
}
