import type { ManagerContext } from '../context.js'
import type { Instance, Observed } from '../domain/instance.js'
import { refOf } from '../runtime/instance-ref.js'
import { publicUrlOf, urlOf, type PublicUrlSettings } from '../settings/public-url.js'

/**
 * An instance as surfaces show it. Source: docs/spec/wire-decisions.md, "instance"; `public_url`, `id`, `port` and
 * those from `runtime` on are additions.
 */
export type WireInstance = {
  readonly name: string
  readonly version: string
  /** What is recorded, and wanted; `observed` is what it is. */
  readonly status: 'started' | 'stopped'
  readonly observed: Observed
  readonly created: string
  readonly updated: string
  readonly version_date: string
  /** Where it answers on this machine. */
  readonly url: string
  /** Where people reach it, see `publicUrlOf`. */
  readonly public_url: string
  readonly custom_url: string
  readonly protected: 'yes' | 'no'
  readonly auto_update: 'yes' | 'no'
  readonly auto_save: 'yes' | 'no'
  readonly database: string
  readonly source: string
  readonly owner_email: string
  readonly firstname: string
  readonly lastname: string
  readonly phone: string
  readonly company: string
  /** Id of the operation that changes it now, or that needs attention; empty: none. */
  readonly operation: string
  readonly id: string
  readonly port: number
  /** See `Instance.runtime`. */
  readonly runtime: string
  /** When a backup of it was proved last that is there and not damaged, ISO 8601; empty: none. */
  readonly proved: string
  /** See `Instance.installedVersion`. */
  readonly installed_version: string
  /** See `Instance.heldRevision`. */
  readonly held_revision: string
}

/** Keys of `WireInstance` that are in the registry, in their order; they are also the columns of SQL filters and orders. */
export const wireKeys = [
  'name',
  'version',
  'status',
  'observed',
  'created',
  'updated',
  'version_date',
  'url',
  'custom_url',
  'protected',
  'auto_update',
  'auto_save',
  'database',
  'source',
  'owner_email',
  'firstname',
  'lastname',
  'phone',
  'company',
  'operation',
  'id',
  'port',
  'runtime',
  'proved',
] as const

export function wireInstance(instance: Instance, settings: PublicUrlSettings): WireInstance {
  return {
    name: instance.name,
    version: instance.version,
    status: instance.desired,
    observed: instance.observed,
    created: instance.created,
    updated: instance.updated,
    version_date: instance.versionDate,
    url: urlOf(instance),
    public_url: publicUrlOf(instance, settings),
    custom_url: instance.customUrl,
    protected: yesNo(instance.protected),
    auto_update: yesNo(instance.autoUpdate),
    auto_save: yesNo(instance.autoSave),
    database: instance.database,
    source: instance.source,
    owner_email: instance.ownerEmail,
    firstname: instance.firstname,
    lastname: instance.lastname,
    phone: instance.phone,
    company: instance.company,
    operation: instance.operation,
    id: instance.id,
    port: instance.port,
    runtime: instance.runtime,
    proved: instance.proved,
    installed_version: instance.installedVersion || instance.version,
    held_revision: instance.heldRevision,
  }
}

function yesNo(flag: boolean): 'yes' | 'no' {
  return flag ? 'yes' : 'no'
}

/** Instances with what is observed now; the registry is left as it is. One look for all that may run. */
export async function observed(
  context: Pick<ManagerContext, 'runtimes' | 'home'>,
  instances: readonly Instance[],
): Promise<readonly Instance[]> {
  const refs = instances
    .filter((instance) => instance.desired === 'started' || instance.observed !== 'stopped')
    .map((instance) => refOf(context, instance))
  if (refs.length === 0) return instances
  const seen = await context.runtimes.observeAll(refs)
  return instances.map((instance) => {
    const found = seen.get(instance.id)
    const state = found === 'stopped' && instance.observed === 'asleep' ? 'asleep' : found
    return state === undefined || state === instance.observed ? instance : { ...instance, observed: state }
  })
}
