import { formatDateTime, formatExact, formatRelative } from '../lib/format.js'
import { t } from '../lib/i18n.js'

export interface TimeProps {
  /** ISO 8601; empty: never. */
  readonly at: string
  /** `date` is for lists that are read like a book. Default `relative`: `3 hours ago`. */
  readonly as?: 'relative' | 'date'
}

/** A moment; all of it is in the tip. */
export function Time({ at, as = 'relative' }: TimeProps) {
  if (at === '') return <span class="quiet">{t('time.never')}</span>
  return (
    <time dateTime={at} title={formatExact(at)}>
      {as === 'relative' ? formatRelative(at) : formatDateTime(at)}
    </time>
  )
}
