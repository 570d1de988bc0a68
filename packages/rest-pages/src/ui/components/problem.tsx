import type { FieldMetadata } from '@steward/rest-core'
import { Button, Notice } from '@steward/page-kit'
import { RestClientError } from '@steward/rest-client'
import { withLabels } from '../lib/field-message.js'
import { t } from '../lib/i18n.js'
import { NotFound } from '../views/not-found.js'

export interface ProblemProps {
  readonly failure: unknown
  readonly onRetry?: () => void
}

/** What a failure says to people, with the labels of these fields. */
export function messageOf(failure: unknown, fields: readonly FieldMetadata[] = []): string {
  if (RestClientError.is(failure))
    return failure.status === 0 ? t('failure.network') : withLabels(failure.message, fields)
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
