import { Skeleton } from '@steward/page-kit'
import { ApiFailure } from '../lib/api.js'
import { t } from '../lib/i18n.js'
import { hasEnded, type Operation } from '../lib/operation.js'
import type { FollowedOperation } from '../lib/use-operation.js'
import { FailureNotice } from './failure-notice.js'
import { OperationSteps } from './operation-steps.js'
import { Outcome } from './outcome.js'

/** A running operation: its steps, the state of the connection, and how it ended. */
export function OperationProgress({ operation, stream, failure }: FollowedOperation) {
  if (failure) return <FailureNotice failure={failure} />
  if (!operation) return <Skeleton lines={4} />
  const { message } = operation
  const isOver = hasEnded(operation)
  return (
    <>
      {!isOver && (stream === 'waiting' || stream === 'offline') && (
        <p class="connection" role="status">
          {t(stream === 'offline' ? 'run.offline' : 'run.waiting')}
        </p>
      )}
      {!isOver && message !== '' && (
        <p role="status" class="quiet" lang="en">
          {message}
        </p>
      )}
      <OperationSteps operation={operation} />
      {isOver && <OperationOutcome operation={operation} />}
    </>
  )
}

/** How it ended. */
export function OperationOutcome({ operation }: { readonly operation: Operation }) {
  const { state, warnings, result } = operation
  const message = operation.message === '' ? t(`state.${state}`) : operation.message
  if (state === 'succeeded') return <Outcome message={message} warnings={warnings} />
  return (
    <FailureNotice failure={new ApiFailure(500, { ...result, message })}>
      {warnings.map((warning) => (
        <p key={warning} lang="en">
          {warning}
        </p>
      ))}
    </FailureNotice>
  )
}
