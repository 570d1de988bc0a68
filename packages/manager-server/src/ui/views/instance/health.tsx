import type { WireHealth } from '@steward/manager-core'
import { Badge, Button, EmptyState, formatDuration, Skeleton } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { Facts, Panel } from '../../components/panel.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'
import type { TabProps } from './tab.js'

/** What the instance says of itself, section by section. */
export function HealthTab({ item: { name } }: TabProps) {
  const { data, failure, reload, loading } = useApi<{ readonly health: WireHealth }>(
    'health',
    { name },
    { refreshMs: 10_000 },
  )
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />
  if (!data) return <Skeleton />
  const { ok, reason, responseTime, ...rest } = data.health
  const sections = Object.entries(rest).filter(([, value]) => typeof value === 'object' && value !== null)
  return (
    <div class="tab-parts">
      <div class="tab-bar">
        <p role="status">
          <Badge tone={ok ? 'good' : 'bad'}>{ok ? t('health.ok') : t('health.bad')}</Badge>{' '}
          {reason !== null && <code>{reason}</code>}{' '}
          <span class="quiet">{t('health.answered', { time: formatDuration(responseTime) })}</span>
        </p>
        <Button icon="refresh" onClick={reload} busy={loading}>
          {t('button.refresh')}
        </Button>
      </div>
      {sections.length === 0 ? (
        <EmptyState title={t('health.none')} />
      ) : (
        <div class="parts">
          {sections.map(([section, values]) => (
            <Panel key={section} title={section}>
              <Facts facts={Object.entries(values as Readonly<Record<string, string>>)} />
            </Panel>
          ))}
        </div>
      )}
    </div>
  )
}
