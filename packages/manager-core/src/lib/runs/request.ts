import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { fullGrant, storedGrant } from '../domain/grant.js'
import type { Input } from '../domain/input.js'
import { identify } from '../system/process-identity.js'
import { recovery, type RunRequest } from './run.js'
import { newRunId } from './run-id.js'
import type { CalledAction } from './runs.js'

type Inputs = Readonly<Record<string, Input>>

/**
 * What a worker is asked, without the secrets, which are never written down.
 *
 * @throws ManagerError ERR_NOT_FOUND when it is about an instance that is not there
 */
export function requestOf(
  { name: action, parameters = [], options = [] }: CalledAction,
  input: Inputs,
  { actor, address, grant, waitMs = 0 }: Caller,
  { clock, registry }: Pick<ManagerContext, 'clock' | 'registry'>,
): { readonly request: RunRequest; readonly secrets: Inputs } {
  const isSecret = (name: string) => [...parameters, ...options].some((one) => one.name === name && one.secret)
  const pick = (secret: boolean) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => isSecret(name) === secret)) satisfies Inputs
  const secrets = pick(true)
  // The instance of a backup may be gone.
  const named = parameters.find(({ name, type }) => type === 'instance' || type === 'new-name' || name === 'name')
  const instance = String((named && input[named.name]) ?? '')
  const request: RunRequest = {
    id: newRunId(clock()),
    action,
    input: pick(false),
    actor,
    ...(address !== undefined && { address }),
    grant: storedGrant(grant),
    waitMs: Number.isFinite(waitMs) ? waitMs : null,
    instance,
    instanceId: (named?.type === 'instance' ? registry.get(instance) : registry.find(instance))?.id ?? '',
    hasSecrets: Object.keys(secrets).length > 0,
    server: identify(process.pid),
    created: clock().toISOString(),
  }
  return { request, secrets }
}

/** To bring to its end what dead owners left. */
export function recoveryRequest(context: Pick<ManagerContext, 'clock' | 'registry'>): RunRequest {
  const caller: Caller = { actor: 'manager', surface: 'api', grant: fullGrant, waitMs: 0 }
  return requestOf({ name: recovery }, {}, caller, context).request
}
