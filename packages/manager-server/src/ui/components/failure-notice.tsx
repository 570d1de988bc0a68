import type { ComponentChildren } from 'preact'
import type { ApiFailure } from '../lib/api.js'
import { t } from '../lib/i18n.js'
import '../styles/states.css'
import { Button } from './button.js'
import { Icon } from './icon.js'

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
    <div class="notice bad" role="alert">
      <Icon name="alert" />
      <div class="notice-text">
        <p>
          <strong>{status === 0 ? t('failure.network') : message}</strong>
        </p>
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
      </div>
      {onRetry && <Button onClick={onRetry}>{t('button.retry')}</Button>}
    </div>
  )
}
