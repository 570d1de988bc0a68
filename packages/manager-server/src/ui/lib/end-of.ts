import { apiAddress } from './addresses.js'
import { followEvents } from './event-stream.js'
import { afterResult, hasEnded, type Operation, type OperationAnswer } from './operation.js'

/**
 * An operation when it has ended.
 *
 * @throws ApiFailure when it cannot be looked at
 */
export async function endOf(id: string, signal?: AbortSignal): Promise<Operation> {
  let operation: Operation | undefined
  await followEvents(apiAddress('operation', { id }), {
    signal: signal ?? new AbortController().signal,
    isOver: () => operation !== undefined && hasEnded(operation),
    onEvent({ type, data }) {
      if (type === 'operation') operation = JSON.parse(data) as Operation
      if (type === 'result' && operation) operation = afterResult(operation, JSON.parse(data) as OperationAnswer)
      return type === 'result'
    },
  })
  return operation as Operation
}
