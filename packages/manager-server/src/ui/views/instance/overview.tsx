import type { WireBackup, WireHistoryEntry } from '@steward/manager-core'
import { Badge, Button, formatBytes, Skeleton, Time } from '@steward/page-kit'
import { Facts, Panel } from '../../components/panel.js'
import { pathTo } from '../../lib/addresses.js'
import { databaseName } from '../../lib/databases.js'
import { t } from '../../lib/i18n.js'
import { addressOf } from '../../lib/instance.js'
import { useActionTable } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { actionText, Result } from '../activity/feed.js'
import { AttentionStrip } from './attention-strip.js'
import { FlagsPanel } from './flags-panel.js'
import { HealthPanel } from './health-panel.js'
import { MeasuredTiles } from './measured-tiles.js'
import type { TabProps } from './tab.js'

/** How it is, what needs a decision, and what was done last. */
export function OverviewTab(props: TabProps) {
  const { isAllowed } = useActionTable()
  const { data } = useApi<{ readonly list: readonly WireBackup[] }>(
    isAllowed('backups-list') ? 'backups-list' : undefined,
    { name: props.item.name },
    { refreshMs: 30_000 },
  )
  return (
    <div class="tab-parts">
      <AttentionStrip {...props} backups={data?.list} />
      {isAllowed('samples') && <MeasuredTiles item={props.item} />}
      <div class="parts">
        <FlagsPanel {...props} />
        {isAllowed('backups-list') && <Backups {...props} backups={data?.list} />}
        {isAllowed('history-list') && <Activity {...props} />}
        <HealthPanel {...props} />
        <Details {...props} />
      </div>
    </div>
  )
}

export interface BackupsProps extends TabProps {
  /** Newest first; undefined: not known yet, or not for who looks. */
  readonly backups: readonly WireBackup[] | undefined
}

/** The last three. */
function Backups({ item, ask, backups }: BackupsProps) {
  const { isAllowed } = useActionTable()
  return (
    <Panel
      title={t('instance.backups')}
      actions={
        isAllowed('save') && (
          <Button small icon="save" onClick={() => ask('save')}>
            {t('action.save')}
          </Button>
        )
      }
    >
      {!backups ? (
        <Skeleton lines={2} />
      ) : backups.length === 0 ? (
        <p class="quiet">{t('backup.none')}</p>
      ) : (
        <>
          <ul class="short-list">
            {backups.slice(0, 3).map(({ backup, saved, size, damage, proved }) => (
              <li key={backup}>
                <Time at={saved} />
                <span class="quiet">{formatBytes(size)}</span>
                <Badge tone={damage === '' ? 'good' : 'bad'}>
                  {t(damage !== '' ? 'backup.damaged' : proved === '' ? 'backup.good' : 'backup.isProved')}
                </Badge>
              </li>
            ))}
          </ul>
          <p>
            <a href={pathTo('instances', item.name, 'backups')}>{t('backup.all', { count: backups.length })}</a>
          </p>
        </>
      )}
    </Panel>
  )
}

/** The last five things that were done. */
function Activity({ item: { name } }: TabProps) {
  const { data } = useApi<{ readonly list: readonly WireHistoryEntry[] }>(
    'history-list',
    { name, limit: 5 },
    { refreshMs: 10_000 },
  )
  return (
    <Panel title={t('instance.activity')}>
      {!data ? (
        <Skeleton lines={3} />
      ) : data.list.length === 0 ? (
        <p class="quiet">{t('history.none')}</p>
      ) : (
        <>
          <ul class="short-list">
            {data.list.toReversed().map(({ id, at, action, actor, result, operation }) => (
              <li key={id}>
                <span>
                  {operation === '' ? (
                    actionText(action)
                  ) : (
                    <a href={pathTo('activity', operation)}>{actionText(action)}</a>
                  )}{' '}
                  <span class="quiet">· {actor}</span>
                </span>
                <span class="quiet">
                  <Time at={at} />
                </span>
                <Result result={result} />
              </li>
            ))}
          </ul>
          <p>
            <a href={pathTo('instances', name, 'activity')}>{t('history.all')}</a>
          </p>
        </>
      )}
    </Panel>
  )
}

/** What it is, and whose. */
function Details({ item }: TabProps) {
  const owner = [item.firstname, item.lastname].filter(Boolean).join(' ')
  return (
    <Panel title={t('instance.about')} wide>
      <Facts
        facts={[
          [
            t('field.version'),
            <>
              {item.version}{' '}
              <span class="quiet">
                (<Time at={item.version_date} as="date" />)
              </span>
            </>,
          ],
          [t('field.database'), databaseName(item.database)],
          [t('field.runtime'), item.runtime],
          [t('instance.limitMemory'), item.limit_memory],
          [t('instance.limitCpu'), item.limit_cpu],
          [t('instance.limitProcesses'), item.limit_processes],
          [t('instance.limitFiles'), item.limit_files],
          ...(addressOf(item) === item.url ? [] : ([[t('instance.local'), item.url]] as const)),
          [t('instance.source'), item.source],
          [t('instance.created'), <Time at={item.created} as="date" />],
          [t('instance.updated'), <Time at={item.updated} />],
          ...(item.account === undefined
            ? []
            : ([[t('instance.account'), item.account || t('instance.noAccount')]] as const)),
          [t('instance.owner'), owner],
          [t('instance.email'), item.owner_email],
          [t('instance.phone'), item.phone],
          [t('instance.company'), item.company],
        ]}
      />
    </Panel>
  )
}
