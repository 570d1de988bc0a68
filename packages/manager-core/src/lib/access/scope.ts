import { ManagerError } from '../../errors.js'
import type { Action, Input } from '../actions/action.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../operation/operation.js'
import { noInstance, type Registry } from '../store/registry.js'

/** Whether callers with a scope (`Caller.instances`) may perform it at all. */
export function isForScoped({ scoped, parameters = [] }: Action): boolean {
  return scoped ?? parameters.some(({ type, required }) => type === 'instance' && required)
}

/** Why the caller may not perform the action; undefined: it may. Which instances it is about is not looked at. */
export function whyNot(action: Action, { abilities, instances }: Pick<Caller, 'abilities' | 'instances'>) {
  if (abilities && !abilities.has(action.ability))
    return `"${action.name}" needs the ability "${action.ability}", which you do not have.`
  if (instances && !isForScoped(action))
    return `"${action.name}" is about the whole manager, and you may use some instances only.`
  return undefined
}

/**
 * What the action works with on behalf of the caller: of one with a scope, a registry that has no other instances.
 *
 * @throws ManagerError ERR_ACCESS; ERR_NOT_FOUND for an instance out of the caller's scope, as if it were not there
 */
export function contextFor(
  context: ManagerContext,
  action: Action,
  input: Readonly<Record<string, Input>>,
  caller: Caller,
): ManagerContext {
  const reason = whyNot(action, caller)
  if (reason !== undefined) throw new ManagerError('ERR_ACCESS', reason)
  const { instances } = caller
  if (!instances) return context
  const registry = scopedRegistry(context.registry, instances)
  for (const { name, type } of [...(action.parameters ?? []), ...(action.options ?? [])])
    if (type === 'instance' && input[name] !== undefined) registry.get(String(input[name]))
  return Object.create(context, { registry: { value: registry, enumerable: true } }) as ManagerContext
}

function scopedRegistry(registry: Registry, ids: ReadonlySet<string>): Registry {
  const find: Registry['find'] = (name) => inScope(registry.find(name))
  const inScope = (instance: ReturnType<Registry['find']>) => (instance && ids.has(instance.id) ? instance : undefined)
  return {
    ...registry,
    find,
    byId: (id) => inScope(registry.byId(id)),
    instances: () => registry.instances().filter(({ id }) => ids.has(id)),
    get(name) {
      const instance = find(name)
      if (!instance) throw noInstance(name)
      return instance
    },
    history: (filter) => registry.history({ ...filter, only: ids }),
  }
}
