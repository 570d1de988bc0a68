import { Icon } from '@steward/page-kit'
import { t } from '../lib/i18n.js'
import '@steward/page-kit/states.css'
import '../styles/operation.css'

export interface OutcomeProps {
  readonly message: string
  /** The answer was "no", though what was asked was done: unit tests failed. */
  readonly isNo?: boolean
  readonly warnings?: readonly string[] | undefined
}

/** What was done, and what to know about it; screen readers say it at once. Failures: `FailureNotice`. */
export function Outcome({ message, isNo = false, warnings = [] }: OutcomeProps) {
  const isGood = !isNo && warnings.length === 0
  return (
    <div class={`notice ${isGood ? 'good' : 'warn'}`} role="status">
      <Icon name={isGood ? 'check' : 'alert'} />
      <div class="notice-text" lang="en">
        <p class="outcome-message">
          <strong>{message}</strong>
        </p>
        {warnings.length > 0 && (
          <ul aria-label={t('run.warnings', { count: warnings.length })}>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
