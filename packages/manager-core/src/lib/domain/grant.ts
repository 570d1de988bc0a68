import { abilities, type Ability } from './ability.js'

/** Which instances a caller may see and touch. It is always stated: a missing scope is not one for all instances. */
export type Scope = { readonly all: true } | ScopeOfInstances

export interface ScopeOfInstances {
  readonly all: false
  /** Ids of the only instances that there are for the caller. */
  readonly instances: ReadonlySet<string>
  /** The only hosts that the caller may give to them, beside those that they have. */
  readonly hosts: ReadonlySet<string>
}

/** What a caller may do, and with which instances. */
export interface Grant {
  /** With those that are part of others, see `withParts`. */
  readonly abilities: ReadonlySet<Ability>
  readonly scope: Scope
}

/** Everything, with all instances: for the command line, the schedule, the manager itself, and users with its password. */
export const fullGrant: Grant = { abilities: new Set(abilities), scope: { all: true } }

/** A grant as JSON. */
export interface StoredGrant {
  readonly abilities: readonly Ability[]
  readonly scope:
    | { readonly all: true }
    | { readonly all: false; readonly instances: readonly string[]; readonly hosts: readonly string[] }
}

/** The same JSON for the same grant. */
export function storedGrant({ abilities: given, scope }: Grant): StoredGrant {
  const sorted = abilities.filter((one) => given.has(one))
  if (scope.all) return { abilities: sorted, scope: { all: true } }
  const [instances, hosts] = [[...scope.instances].toSorted(), [...scope.hosts].toSorted()]
  return { abilities: sorted, scope: { all: false, instances, hosts } }
}

export function grantFrom({ abilities: given, scope }: StoredGrant): Grant {
  if (scope.all) return { abilities: new Set(given), scope: { all: true } }
  const { instances, hosts } = scope
  return { abilities: new Set(given), scope: { all: false, instances: new Set(instances), hosts: new Set(hosts) } }
}

/** Whether an instance, by its id, is in the scope. What belongs to none is in that of all instances only. */
export function isInScope(scope: Scope, instance: string): boolean {
  return scope.all || scope.instances.has(instance)
}
