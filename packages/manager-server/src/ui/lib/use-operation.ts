import type { OperationEvent } from '@steward/manager-core'
import { useEffect, useState } from 'preact/hooks'
import { apiAddress } from './addresses.js'
import type { ApiFailure } from './api.js'
import { followEvents, type StreamState } from './event-stream.js'
import { afterEvent, afterResult, hasEnded, type Operation, type OperationAnswer } from './operation.js'

export interface FollowedOperation {
  /** undefined: nothing was heard of it yet. */
  readonly operation: Operation | undefined
  /** State of the connection that reports its progress. */
  readonly stream: StreamState
  /** It cannot be looked at: it is not there, or is not ours. */
  readonly failure: ApiFailure | undefined
}

const unknown: FollowedOperation = { operation: undefined, stream: 'connecting', failure: undefined }

/** A running operation, until it has finished, whatever happens to connection and server meanwhile. */
export function useOperation(id: string | undefined): FollowedOperation {
  const [followed, setFollowed] = useState(unknown)
  useEffect(() => {
    setFollowed(unknown)
    if (id === undefined) return
    const left = new AbortController()
    let operation: Operation | undefined
    const show = (change: Partial<FollowedOperation>) => setFollowed((before) => ({ ...before, ...change }))
    followEvents(apiAddress('operation', { id }), {
      signal: left.signal,
      onState: (stream) => show({ stream }),
      isOver: () => operation !== undefined && hasEnded(operation),
      onEvent({ type, data }) {
        if (type === 'operation') operation = JSON.parse(data) as Operation
        else if (operation && type === 'event') operation = afterEvent(operation, JSON.parse(data) as OperationEvent)
        else if (operation && type === 'result') operation = afterResult(operation, JSON.parse(data) as OperationAnswer)
        show({ operation })
        return type === 'result'
      },
    }).catch((failure: ApiFailure) => {
      if (!left.signal.aborted) show({ failure })
    })
    return () => left.abort()
  }, [id])
  return followed
}
