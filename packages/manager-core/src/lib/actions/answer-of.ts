import type { ActionResult } from '../action.js'
import type { Json } from '../domain/json.js'
import type { Answer } from '../runs/answer.js'

/** Without what is no JSON: streams, programs and files. */
export function answerOf({ message, exitCode, data, list, item, plan, operation, warnings }: ActionResult): Answer {
  return {
    status: exitCode ?? 0,
    message,
    ...data,
    ...(list && { list }),
    ...(item !== undefined && { item }),
    ...(plan && { plan: plan as unknown as Json }),
    ...(operation !== undefined && { operation }),
    ...(warnings && { warnings }),
  }
}
