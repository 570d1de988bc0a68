import { ManagerError } from '../../errors.js'
import type { Action, Option } from '../action.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { Input } from '../domain/input.js'
import { scopedContext } from './scoped-context.js'

/** Whether callers with a scope (`Scope`) may perform it at all. */
export function isForScoped({ scoped, parameters = [] }: Action): boolean {
  return scoped ?? parameters.some(({ type, required }) => type === 'instance' && required)
}

/** Why the caller may not perform the action; undefined: it may. Which instances it is about is not looked at. */
export function whyNot(action: Action, { grant: { abilities, scope } }: Pick<Caller, 'grant'>): string | undefined {
  if (!abilities.has(action.ability))
    return `"${action.name}" requires the ability "${action.ability}", which you do not have.`
  if (!scope.all && !isForScoped(action))
    return `"${action.name}" affects the whole manager, and your access is limited to some instances.`
  return undefined
}

/** Why the caller may not give an option; undefined: it may. */
export function whyNotOption({ name, ability }: Option, { grant }: Pick<Caller, 'grant'>): string | undefined {
  if (ability === undefined || grant.abilities.has(ability)) return undefined
  return `"--${name}" requires the ability "${ability}", which you do not have.`
}

/**
 * What the action works with on behalf of the caller: of one with a scope, see `scopedContext`.
 *
 * @throws ManagerError ERR_ACCESS; ERR_NOT_FOUND for an instance out of the caller's scope, as if it were not there
 */
export function contextFor(
  context: ManagerContext,
  action: Action,
  input: Readonly<Record<string, Input>>,
  caller: Caller,
): ManagerContext {
  const given = (action.options ?? []).filter(({ name }) => input[name] !== undefined && input[name] !== false)
  const reason = [whyNot(action, caller), ...given.map((option) => whyNotOption(option, caller))].find(Boolean)
  if (reason !== undefined) throw new ManagerError('ERR_ACCESS', reason)
  const { scope } = caller.grant
  if (scope.all) return context
  const scoped = scopedContext(context, scope.instances)
  for (const { name, type } of [...(action.parameters ?? []), ...(action.options ?? [])])
    if (type === 'instance' && input[name] !== undefined) scoped.registry.get(String(input[name]))
  return scoped
}
