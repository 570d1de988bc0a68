import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { InstanceRequest } from '../domain/request.js'
import { requestIn, updateRequest } from '../store/request-rows.js'
import { lockOptionsOf } from '../system/lock-options.js'
import { forgetUnconfirmed } from './availability.js'

/** @throws ManagerError ERR_NOT_FOUND */
export function requestOf(context: Pick<ManagerContext, 'registry' | 'clock' | 'uptime'>, id: number): InstanceRequest {
  forgetUnconfirmed(context)
  const request = requestIn(context.registry, id)
  if (request) return request
  throw new ManagerError('ERR_NOT_FOUND', `Request ${id} does not exist.`, { command: 'requests' })
}

/** Decisions on one request run one after the other. @throws ManagerError ERR_BUSY */
export function whileDeciding<T>(
  { locks, clock }: Pick<ManagerContext, 'locks' | 'clock'>,
  id: number,
  caller: Caller,
  work: () => Promise<T>,
): Promise<T> {
  return locks.with([`request:${id}`], lockOptionsOf(caller, `decision on request ${id}`, clock()), work)
}

/** @throws ManagerError ERR_STATE unless it is confirmed and not decided */
export function checkUndecided({ id, status, email, decided_by, instance }: InstanceRequest): void {
  if (status === 'confirmed' || status === 'failed') return
  const [message, help] = {
    unconfirmed: [`Request ${id} has not been confirmed by ${email} yet.`, 'The person must confirm the mail first.'],
    approved: [`Request ${id} was already approved by ${decided_by}: instance "${instance}".`, undefined],
    rejected: [`Request ${id} was already rejected by ${decided_by}.`, undefined],
  }[status]
  throw new ManagerError('ERR_STATE', message!, { command: 'requests', ...(help !== undefined && { help }) })
}

/** The instance could not be made: the request stays, and may be approved once more. */
export function markFailed({ registry }: Pick<ManagerContext, 'registry'>, id: number, note: string): void {
  registry.transaction(() => updateRequest(registry, id, { status: 'failed', note: note.slice(0, 500) }))
}
