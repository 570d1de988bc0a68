import type { BuiltRequest } from './build-request.js'
import type { Draft } from './draft.js'
import { statusClass } from './status.js'

export interface HistoryEntry {
  readonly id: number
  readonly draft: Draft
  readonly request: BuiltRequest
  readonly status: number
  readonly totalMs: number
}

/** The last requests, newest first; one brings back what was entered. They are gone with the tab. */
export function History(props: {
  entries: readonly HistoryEntry[]
  base: string
  onRestore: (entry: HistoryEntry) => void
}) {
  const { entries, base, onRestore } = props
  if (entries.length === 0) return null
  return (
    <section class="card history" aria-labelledby="history-title">
      <h2 id="history-title">History</h2>
      <ol>
        {entries.map((entry) => (
          <li key={entry.id}>
            <button type="button" class="plain" onClick={() => onRestore(entry)} title="Bring this request back">
              <span class="method">{entry.request.method}</span>
              <span class="address">{entry.request.url.slice(base.length)}</span>
              <span class={`status ${statusClass(entry.status)}`}>{entry.status}</span>
              <span class="muted">{Math.round(entry.totalMs)} ms</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
