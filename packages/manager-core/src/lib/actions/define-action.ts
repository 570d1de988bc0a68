import { ManagerError } from '../../errors.js'
import { whyNot, whyNotOption } from '../access/scope.js'
import type { Action, ActionCall, ActionResult, Option, Parameter } from '../action.js'
import type { Input } from '../domain/input.js'
import type { Instance } from '../domain/instance.js'
import type { Registry } from '../store/registry.js'

type Declared = Parameter & Option

/** Values by the names of what is declared: what is not required may be undefined, a flag that is absent is false. */
export type InputsOf<D extends Declared> = {
  readonly [One in D as One['name']]: One extends { readonly type: 'flag' } | { readonly required: true }
    ? GivenOf<One>
    : GivenOf<One> | undefined
}

type GivenOf<D extends Declared> = D extends { readonly variadic: true } ? readonly ValueOf<D>[] : ValueOf<D>

type ValueOf<D extends Declared> = D extends { readonly type: 'flag' | 'yes-no' }
  ? boolean
  : D extends { readonly type: 'integer' }
    ? number
    : D extends { readonly type: 'choice'; readonly choices: readonly (infer Choice)[] }
      ? Choice
      : D extends { readonly type: 'instance'; readonly orGone?: undefined }
        ? Instance
        : string

/** What a handler is given when these inputs are declared; for functions that it calls. */
export interface CallOf<D extends Declared> extends CallPlace {
  readonly input: InputsOf<D>
}

/** A call for those who need none of its inputs. */
export type CallPlace = Pick<ActionCall, 'context' | 'caller'>

/** A row whose handler has the types of the inputs that it declares. */
interface Row<P extends readonly Parameter[], O extends readonly Option[]> extends Omit<Action, 'handler'> {
  readonly parameters?: P
  readonly options?: O
  handler(call: CallOf<P[number] | O[number]>): Promise<ActionResult> | ActionResult
}

/**
 * A row of the action table. Its handler gets instances for the names of instances, from what the caller may see.
 *
 * @example
 * defineAction({
 *   name: 'stop',
 *   parameters: [{ name: 'name', type: 'instance', required: true, summary: 'Name of the instance' }],
 *   options: [{ name: 'force', type: 'flag', summary: 'Kill it at once' }],
 *   handler: ({ input: { name: instance, force } }) => …, // Instance, boolean
 * })
 */
export function defineAction<const P extends readonly Parameter[] = [], const O extends readonly Option[] = []>(
  row: Row<P, O>,
): Action {
  const declared: readonly Declared[] = [...(row.parameters ?? []), ...(row.options ?? [])]
  return {
    ...row,
    async handler({ context, input, caller }) {
      const entries = declared.map((one) => [one.name, valueOf(one, input[one.name], () => context.registry)])
      // `checkInput` and `valueOf` make them what they are declared as.
      return row.handler({ context, caller, input: Object.fromEntries(entries) as InputsOf<P[number] | O[number]> })
    },
  }
}

/**
 * Performs another row for the same caller, who needs its rights, too.
 *
 * @throws ManagerError ERR_ACCESS, or what the row throws
 */
export async function performRow(row: Action, call: ActionCall): Promise<ActionResult> {
  const given = (row.options ?? []).filter(({ name }) => call.input[name] !== undefined && call.input[name] !== false)
  const reason = [whyNot(row, call.caller), ...given.map((one) => whyNotOption(one, call.caller))].find(Boolean)
  if (reason !== undefined) throw new ManagerError('ERR_ACCESS', reason)
  return row.handler(call)
}

/** @throws ManagerError ERR_NOT_FOUND */
function valueOf({ type, variadic, orGone }: Declared, given: Input, registry: () => Registry) {
  if (type === 'flag') return given ?? false
  if (type !== 'instance' || orGone || given === undefined) return given
  return variadic ? (given as readonly string[]).map((name) => registry().get(name)) : registry().get(String(given))
}
