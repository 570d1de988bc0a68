import type { Caller, OperationEvent } from '../domain/caller.js'

export interface EventGroup {
  /** The caller of the operation on one of them: its events become those of the group. */
  callerOf(name: string): Caller
  /** One starts, ends, or is not started. */
  tell(name: string, state: 'running' | 'done' | 'failed' | 'skipped'): void
}

/**
 * Shows operations that run at the same time as the steps of one, so that surfaces can tell them apart.
 *
 * @param title for people: `Save 3 instances`
 * @param names each once; they are the ids of the steps
 * @param titleOf of one of them
 */
export function groupEvents(
  caller: Caller,
  title: string,
  names: readonly string[],
  titleOf: (name: string) => string,
): EventGroup {
  const tell = (event: OperationEvent) => caller.onEvent?.(event)
  tell({
    type: 'planned',
    operation: '',
    title,
    steps: names.map((name) => ({ id: name, title: titleOf(name) })),
    parallel: true,
  })
  return {
    callerOf(name) {
      let titles = new Map<string, string>()
      return {
        ...caller,
        onEvent(event) {
          switch (event.type) {
            case 'planned':
              titles = new Map(event.steps.map((step) => [step.id, step.title]))
              return
            case 'step':
              if (event.state === 'running')
                tell({ type: 'progress', step: name, text: titles.get(event.step) ?? event.step })
              return
            case 'progress':
              return tell({ ...event, step: name })
            default:
              return tell(event)
          }
        },
      }
    },
    tell: (name, state) => tell({ type: 'step', step: name, state }),
  }
}
