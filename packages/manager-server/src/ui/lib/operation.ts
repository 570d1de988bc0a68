import type { OperationEvent, OperationItem, PlannedOperation } from '@steward/manager-core'
import type { Answer, FailureBody } from './answer.js'

/** What was done, is done or is to be done, as `operation` and `operations` answer it. */
export type Operation = Omit<OperationItem, 'instance_id' | 'surface' | 'result'> & {
  readonly result?: OperationAnswer
}

export type OperationState = Operation['state']
export type OperationStep = Operation['steps'][number]

/** What the action answered in the end, done or not. */
export type OperationAnswer = Partial<Omit<Answer, 'message'>> & FailureBody & ResultBody

/** What else an answer may hold. */
export interface ResultBody {
  readonly item?: unknown
  readonly list?: readonly unknown[]
  readonly plan?: Plan
}

/** The result of a dry run. */
export type Plan = Pick<PlannedOperation, 'title' | 'steps' | 'notes'>

/** Nothing comes after these. */
export function hasEnded({ state }: Pick<Operation, 'state'>): boolean {
  return ['succeeded', 'failed', 'rolled_back', 'attention'].includes(state)
}

/** The operation after an event. */
export function afterEvent(operation: Operation, event: OperationEvent & { readonly at?: string }): Operation {
  switch (event.type) {
    case 'waiting':
      return { ...operation, state: 'queued', message: `It waits for ${event.holder}.` }
    case 'planned':
      return {
        ...operation,
        title: event.title,
        state: 'running',
        message: '',
        steps: event.steps.map(({ id, title }) => ({ id, title, state: 'pending' })),
      }
    case 'step': {
      const isUndone = event.state === 'undoing' || event.state === 'undone'
      const { state, at } = event
      return {
        ...withStep(operation, event.step, ({ id, title, failed, at: since }) => ({
          id,
          title,
          state,
          ...((state === 'failed' || (isUndone && failed)) && { failed: true }),
          ...(at !== undefined && { at }),
          ...(at !== undefined &&
            since !== undefined &&
            state !== 'undoing' && { took: Date.parse(at) - Date.parse(since) }),
        })),
        state: isUndone ? 'undoing' : operation.state === 'undoing' ? 'undoing' : 'running',
      }
    }
    case 'progress': {
      const { text, bytes, of } = event
      const progress = { text, ...(bytes !== undefined && { bytes }), ...(of !== undefined && { of }) }
      return withStep(operation, event.step, (one) => ({ ...one, progress }))
    }
    case 'warning':
      return { ...operation, warnings: [...operation.warnings, event.text] }
    case 'recovering':
      return { ...operation, title: event.title, state: 'interrupted' }
  }
}

/** A step of an operation that has ended: nothing is pending or being undone any more. */
export function settled(step: OperationStep): OperationStep {
  if (step.state === 'pending') return { ...step, state: 'skipped' }
  return step.state === 'undoing' ? { ...step, state: 'undo-failed' } : step
}

/** The operation when the answer of its action is there. */
export function afterResult(operation: Operation, result: OperationAnswer): Operation {
  if (hasEnded(operation)) return { ...operation, result }
  // Without a code it was done, and status 1 says that the answer is no.
  const done = result.status === undefined || result.status === 0 ? 'succeeded' : 'failed'
  const state = result.code === undefined ? done : (endOf[result.code] ?? 'failed')
  const { message, warnings = operation.warnings } = result
  return { ...operation, state, message, warnings, result, ended: operation.ended || new Date().toISOString() }
}

const endOf: Readonly<Record<string, OperationState>> = { ERR_ROLLED_BACK: 'rolled_back', ERR_ATTENTION: 'attention' }

function withStep(operation: Operation, id: string, change: (step: OperationStep) => OperationStep): Operation {
  return { ...operation, steps: operation.steps.map((step) => (step.id === id ? change(step) : step)) }
}
