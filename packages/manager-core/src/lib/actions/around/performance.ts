import type { Action, ActionResult } from '../../action.js'
import type { ManagerContext } from '../../context.js'
import type { Caller } from '../../domain/caller.js'
import type { Input } from '../../domain/input.js'

/** One action that is being performed. */
export interface Performance {
  /** The whole manager. What the caller may see of it is `visible`. */
  readonly context: ManagerContext
  readonly action: Action
  /** Checked. */
  readonly input: Readonly<Record<string, Input>>
  readonly caller: Caller
  /** What the handler works with. Default: the whole manager. */
  readonly visible?: ManagerContext
  /** Operations of dead owners were brought to an end before. */
  readonly hasRecovered?: boolean
}

/** Does something around the rest of a performance. */
export type Layer = (performance: Performance, rest: Rest) => Promise<ActionResult>
export type Rest = (performance: Performance) => Promise<ActionResult>

/** The first layer is the outermost. */
export function compose(layers: readonly Layer[], innermost: Rest): Rest {
  return layers.reduceRight<Rest>((rest, layer) => (performance) => layer(performance, rest), innermost)
}
