import type { ComponentChildren } from 'preact'
import { Button, Notice } from '@steward/page-kit'
import type { ApiFailure } from '../lib/api.js'
import { t } from '../lib/i18n.js'

export interface FailureNoticeProps {
  readonly failure: ApiFailure
  /** Shows a button that does it. */
  readonly onRetry?: (() => void) | undefined
  /** More to do or to know. */
  readonly children?: ComponentChildren
}

/** Why something did not work, and what to do about it. */
export function FailureNotice({ failure, onRetry, children }: FailureNoticeProps) {
  const { status, message, help, command, output } = failure
  return (
    <Notice
      tone="bad"
      title={status === 0 ? t('failure.network') : message}
      action={onRetry && <Button onClick={onRetry}>{t('button.retry')}</Button>}
    >
      {status !== 0 && help && <p>{help}</p>}
      {command && (
        <p>
          {t('failure.command')} <code>{`manager ${command}`}</code>
        </p>
      )}
      {output && (
        <details>
          <summary>{t('failure.output')}</summary>
          <pre tabIndex={0}>{output}</pre>
        </details>
      )}
      {children}
    </Notice>
  )
}
