import { Badge, type Column } from '@steward/page-kit'
import { t } from '../lib/i18n.js'

/** A setting of the manager or of an instance. */
export interface ShownSetting {
  readonly name: string
  readonly summary: string
  /** Secrets are `***`; null or absent: none. */
  readonly value?: string | null | undefined
  readonly default?: string | null | undefined
  readonly origin: string
  readonly hint?: string
  /** Why it cannot be changed. */
  readonly reason?: string
}

/** Name, value or default, and source of settings; secrets are never shown. */
export const settingColumns: readonly Column<ShownSetting>[] = [
  {
    id: 'name',
    title: t('settings.name'),
    onCard: 'title',
    cell: ({ name, summary, hint, reason }) => (
      <span class="cell-lines">
        <code>{name}</code>
        <span class="cell-about" lang="en">
          {reason === undefined ? summary : `${summary}. ${reason}`}
        </span>
        {hint !== undefined && (
          <span lang="en">
            <Badge tone="warn">{hint}</Badge>
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'value',
    title: t('settings.value'),
    cell: ({ value, default: otherwise }) => {
      if (value) return <code>{value}</code>
      return <span class="quiet">{otherwise ? <code>{otherwise}</code> : '–'}</span>
    },
  },
  {
    id: 'origin',
    title: t('settings.origin'),
    cell: ({ origin }) => <span class="quiet">{origin === 'default' ? t('settings.default') : origin}</span>,
    wideOnly: true,
  },
]
