/** `interrupted`: its owner died, and recovery has started. */
export type OperationState =
  | 'planned'
  | 'running'
  | 'succeeded'
  | 'undoing'
  | 'rolled_back'
  | 'interrupted'
  | 'attention'

/**
 * From which states an operation may come to each. Nothing leaves `succeeded` and `rolled_back`; `attention` is left when
 * the operator retries it.
 */
export const reachedFrom = {
  planned: [],
  running: ['planned', 'interrupted', 'attention'],
  succeeded: ['running'],
  undoing: ['planned', 'running', 'interrupted', 'attention'],
  rolled_back: ['planned', 'running', 'undoing', 'interrupted', 'attention'],
  interrupted: ['planned', 'running', 'interrupted'],
  attention: ['planned', 'running', 'undoing', 'interrupted', 'attention'],
} as const satisfies Record<OperationState, readonly OperationState[]>

/** States that nothing leaves. */
export const ended: readonly OperationState[] = ['succeeded', 'rolled_back']
