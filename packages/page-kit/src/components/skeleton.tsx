import { t } from '../lib/i18n.js'
import '../styles/states.css'

/** Holds the place of what is being loaded. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">{t('loading')}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  )
}
