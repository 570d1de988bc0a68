import type { OperationEvent } from '../domain/caller.js'

/** One step, as a surface shows it. */
export interface ShownStep {
  readonly id: string
  readonly title: string
  /** `undo-failed`: it was being undone when the operation ended, so what it left is there still. */
  readonly state: 'pending' | 'running' | 'done' | 'failed' | 'undoing' | 'undone' | 'undo-failed' | 'skipped'
  /** The operation failed at this step, whatever happened to the step afterwards. */
  readonly failed?: true
  readonly progress?: { readonly text: string; readonly bytes?: number; readonly of?: number }
  /** When it came to this state, ISO 8601. Absent: that is not known. */
  readonly at?: string
  /** How long it took, in ms. */
  readonly took?: number
}

/** How far it is. */
export interface Progressed {
  /** Empty: not known yet. */
  readonly title: string
  /** Steps of the operation that is running. */
  readonly steps: readonly ShownStep[]
  readonly warnings: readonly string[]
  /** `waiting`: for a lock; `recovering`: of what a dead owner left before. */
  readonly phase: 'running' | 'undoing' | 'waiting' | 'recovering'
  /** Who holds the lock; what is recovered. */
  readonly note: string
}

export const notBegun: Progressed = { title: '', steps: [], warnings: [], phase: 'running', note: '' }

/** How far it is after an event. A new plan takes the place of the one before. */
export function afterEvent(before: Progressed, event: OperationEvent & { readonly at?: string }): Progressed {
  switch (event.type) {
    case 'waiting':
      return { ...before, phase: 'waiting', note: event.holder }
    case 'recovering':
      return { ...before, phase: 'recovering', note: event.title }
    case 'warning':
      return { ...before, warnings: [...before.warnings, event.text] }
    case 'planned': {
      const steps = event.steps.map(({ id, title }): ShownStep => ({ id, title, state: 'pending' }))
      return { ...before, title: event.title, steps, phase: 'running', note: '' }
    }
    case 'step': {
      const isUndone = event.state === 'undoing' || event.state === 'undone'
      const { state, at } = event
      const steps = changed(before.steps, event.step, ({ id, title, failed, at: since }) => ({
        id,
        title,
        state,
        ...((state === 'failed' || (isUndone && failed)) && { failed: true }),
        ...(at !== undefined && { at }),
        ...(at !== undefined &&
          since !== undefined &&
          state !== 'undoing' && { took: Date.parse(at) - Date.parse(since) }),
      }))
      return { ...before, steps, phase: isUndone || before.phase === 'undoing' ? 'undoing' : 'running', note: '' }
    }
    case 'progress': {
      const { step, text, bytes, of } = event
      const progress = { text, ...(bytes !== undefined && { bytes }), ...(of !== undefined && { of }) }
      return { ...before, steps: changed(before.steps, step, (one) => ({ ...one, progress })) }
    }
  }
}

function changed(
  steps: readonly ShownStep[],
  id: string,
  change: (step: ShownStep) => ShownStep,
): readonly ShownStep[] {
  return steps.map((step) => (step.id === id ? change(step) : step))
}

/** In an operation that has ended, nothing is pending or running any more. */
export function settled(step: ShownStep): ShownStep {
  if (step.state === 'pending') return { ...step, state: 'skipped' }
  return step.state === 'undoing' ? { ...step, state: 'undo-failed' } : step
}
