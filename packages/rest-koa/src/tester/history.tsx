import { formatNumber } from '@steward/page-kit/format'
import type { Draft } from './draft.js'
import { t } from './i18n.js'
import { statusClass } from './status.js'

export interface HistoryEntry {
  readonly id: number
  readonly draft: Draft
  readonly method: string
  readonly url: string
  readonly status: number
  readonly totalMs: number
}

/** The last requests, newest first; one brings back what was entered. */
export function History(props: {
  entries: readonly HistoryEntry[]
  base: string
  onRestore: (entry: HistoryEntry) => void
}) {
  const { entries, base, onRestore } = props
  if (entries.length === 0) return null
  return (
    <section class="card history" aria-labelledby="history-title">
      <h2 id="history-title">{t('history')}</h2>
      <ol>
        {entries.map((entry) => (
          <li key={entry.id}>
            <button type="button" class="entry" onClick={() => onRestore(entry)} title={t('history.restore')}>
              <span class="method">{entry.method}</span>
              <span class="address">{entry.url.slice(base.length)}</span>
              <span class={`status ${statusClass(entry.status)}`}>{entry.status}</span>
              <span class="quiet">{formatNumber(entry.totalMs)} ms</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
