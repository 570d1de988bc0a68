import type { ComponentChildren } from 'preact'
import { Button, ButtonLink, Notice } from '@steward/page-kit'
import { pathTo } from '../lib/addresses.js'
import type { ApiFailure } from '../lib/api.js'
import { t } from '../lib/i18n.js'
import { CopyButton } from './copy-button.js'

export interface FailureNoticeProps {
  readonly failure: ApiFailure
  /** Shows a button that does it. */
  readonly onRetry?: (() => void) | undefined
  /** More to do or to know. */
  readonly children?: ComponentChildren
}

/** Lines of a program's output that are shown at first. */
const shownLines = 20

/** What did not work, why, and what to do about it: each said once. */
export function FailureNotice({ failure, onRetry, children }: FailureNoticeProps) {
  const { status, message, title = message, reason, ending, help, command, output = '' } = failure
  // What the command would show is on a page, too.
  const of = /^logs (\w+)$/.exec(command ?? '')?.[1]
  return (
    <Notice
      tone="bad"
      title={status === 0 ? t('failure.network') : title}
      action={onRetry && <Button onClick={onRetry}>{t('button.retry')}</Button>}
    >
      {reason !== undefined && (
        <p class="failure-reason" lang="en">
          <code>{reason}</code>
        </p>
      )}
      {ending !== undefined && <p lang="en">{ending}</p>}
      {status !== 0 && help && <p>{help}</p>}
      {command &&
        (of === undefined ? (
          <p>
            {t('failure.command')} <code>{`manager ${command}`}</code>
          </p>
        ) : (
          <p>
            <ButtonLink small href={pathTo('instances', of, 'logs')}>
              {t('operations.showLog')}
            </ButtonLink>
          </p>
        ))}
      {output !== '' && output.trim() !== reason && <Output text={output.trimEnd()} />}
      {children}
    </Notice>
  )
}

/** The end of it is in sight; all of it is copied. */
function Output({ text }: { readonly text: string }) {
  const lines = text.split('\n')
  return (
    <details open>
      <summary>{t('failure.output')}</summary>
      <pre tabIndex={0} lang="en">
        {lines.slice(-shownLines).join('\n')}
      </pre>
      <CopyButton value={text} of={t('failure.output')} />
    </details>
  )
}
