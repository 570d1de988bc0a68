import type { Caller, StepTitle } from '../domain/caller.js'
import type { Json } from '../domain/json.js'

/** Facts for the journal: the recovery of the operation finds in them that hooks do not apply to it. */
export function noteHooks(facts: Json, { withoutHooks }: Caller): Json {
  return withoutHooks ? { ...(facts as Readonly<Record<string, Json>>), withoutHooks } : facts
}

/** The caller of an operation that another one started. */
export function asBegun(caller: Caller, facts: Json): Caller {
  const { withoutHooks: _, ...rest } = caller
  return isWithoutHooks(facts) ? { ...rest, withoutHooks: true } : rest
}

export function isWithoutHooks(facts: Json): boolean {
  return (facts as { readonly withoutHooks?: Json } | null)?.withoutHooks === true
}

/** What people see of the steps. */
export function shownSteps<Step extends StepTitle & { readonly isHook?: true }>(
  steps: readonly Step[],
  withoutHooks: boolean | undefined,
): readonly Step[] {
  return withoutHooks ? steps.filter(({ isHook }) => !isHook) : steps
}
