import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Badge } from '@steward/page-kit'
import { api, type ApiFailure } from '../../lib/api.js'
import { t } from '../../lib/i18n.js'

interface Report {
  readonly item: { readonly entries: number; readonly faults: readonly unknown[] }
}

/** Verifies the history on request, and shows the result. */
export function useVerify(): { readonly start: () => void; readonly result: ComponentChildren } {
  const [result, setResult] = useState<ComponentChildren>()
  const start = () => {
    setResult(<span class="spinner" />)
    api<Report>('history-verify').then(
      ({ item: { entries, faults }, message }) =>
        setResult(
          faults.length === 0 ? (
            <Badge tone="good">{t('activity.intact', { count: entries })}</Badge>
          ) : (
            <span lang="en">
              <Badge tone="bad">{message.split('\n')[0]}</Badge>
            </span>
          ),
        ),
      ({ message }: ApiFailure) => setResult(<Badge tone="bad">{message}</Badge>),
    )
  }
  return { start, result: <span role="status">{result}</span> }
}
