import { useMemo } from 'preact/hooks'
import type { WireVersion } from '@steward/manager-core'
import { Badge, Button, type Column, Time } from '@steward/page-kit'
import { t } from '../../lib/i18n.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { ListPanel, type AskProps } from './list-panel.js'

/** The versions that instances can have, and a button that fetches their latest templates. */
export function Versions({ ask }: AskProps) {
  const { isAllowed } = useActionTable()
  const columns = useMemo(columnsOf, [])
  return (
    <ListPanel
      title={t('manager.versions')}
      columns={columns}
      rowKey={({ version }) => version}
      answer={useApi<{ readonly list: readonly WireVersion[] }>('versions')}
      empty={<p class="quiet">{t('manager.noVersions')}</p>}
      actions={
        isAllowed('refresh') && (
          <Button small icon="refresh" onClick={() => ask({ action: 'refresh' })}>
            {t('manager.refresh')}
          </Button>
        )
      }
    />
  )
}

function columnsOf(): readonly Column<WireVersion>[] {
  return [
    {
      id: 'version',
      title: t('column.version'),
      onCard: 'title',
      cell: ({ version, title, default: isDefault, problem }) => (
        <span class="cell-lines">
          <span>
            <strong>{version}</strong> {isDefault && <Badge>{t('manager.defaultVersion')}</Badge>}
          </span>
          <span class="quiet">{title}</span>
          {problem !== '' && (
            <span lang="en">
              <Badge tone="bad">{problem}</Badge>
            </span>
          )}
        </span>
      ),
    },
    { id: 'date', title: t('manager.versionDate'), cell: ({ date }) => <Time at={date} as="date" /> },
    { id: 'location', title: t('manager.location'), cell: ({ location }) => <code>{location}</code> },
  ]
}
