import { Button, Notice } from '@steward/page-kit'
import { RestClientError } from '@steward/rest-client'
import { t } from '../lib/i18n.js'
import { NotFound } from '../views/not-found.js'

export interface ProblemProps {
  readonly failure: unknown
  readonly onRetry?: () => void
}

/** What a failure says to people. */
export function messageOf(failure: unknown): string {
  if (RestClientError.is(failure)) return failure.status === 0 ? t('failure.network') : failure.message
  return failure instanceof Error ? failure.message : String(failure)
}

/** Why there is nothing to show: there is no such thing, or the service failed. */
export function Problem({ failure, onRetry }: ProblemProps) {
  if (RestClientError.is(failure) && (failure.status === 404 || failure.status === 403)) return <NotFound />
  return (
    <div class="view">
      <Notice
        tone="bad"
        title={messageOf(failure)}
        action={onRetry && <Button onClick={onRetry}>{t('button.retry')}</Button>}
      />
    </div>
  )
}
