import type { Json } from '../../domain/json.js'
import type { HookName } from '../../hooks/hooks.js'
import type { Step } from '../operation.js'

export interface HookStepOptions {
  readonly hook: HookName
  /** Arguments of the calling action. */
  readonly args: readonly string[]
  /** Home of the instance, whose settings become the hook's environment; undefined before it has one. */
  readonly folder: string | undefined
  readonly instance: { readonly id: string; readonly name: string }
  /** JSON of the operation, for its standard input. */
  readonly input: Json
}

/**
 * Runs a hook script when it is there. A failing pre-hook stops the operation with its output; a failing post-hook is a
 * warning. Source: wire-decisions, "hooks".
 */
export function hookStep(options: HookStepOptions): Step {
  throw new Error(`Not there yet: ${options.hook}`)
}
