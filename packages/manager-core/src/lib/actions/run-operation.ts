import type { ActionResult } from '../action.js'
import type { OperationKind } from '../context.js'
import type { Json } from '../domain/json.js'
import { purgeExpired } from '../instances/purge.js'
import type { OperationResult } from '../operation/operation.js'
import type { CallPlace } from './define-action.js'

/** Runs an operation, or only plans it when the caller wants a dry run. `answer` says what was done. */
export async function runOperation<Request extends Json, Facts extends Json>(
  { context, caller }: CallPlace,
  kind: OperationKind<Request, Facts>,
  request: Request,
  answer: (result: OperationResult) => Promise<ActionResult> | ActionResult,
): Promise<ActionResult> {
  if (caller.dryRun) {
    const plan = await context.operations.plan(kind, request, caller)
    return { message: `${plan.title}: dry run, nothing was done.`, plan }
  }
  const result = await context.operations.run(kind, request, caller)
  const { operation, warnings } = result
  return { operation, ...(warnings.length > 0 && { warnings }), ...(await answer(result)) }
}

/** The moment for removing what has been long enough in the trash: it was looked into anyway. */
export async function withPurge({ context, caller }: CallPlace, result: ActionResult): Promise<ActionResult> {
  if (caller.dryRun) return result
  const failures = await purgeExpired(context, caller)
  const warnings = [...(result.warnings ?? []), ...failures]
  return { ...result, ...(warnings.length > 0 && { warnings }) }
}
