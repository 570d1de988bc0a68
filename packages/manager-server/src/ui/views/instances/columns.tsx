import { Badge, type Column, formatDuration, Time } from '@steward/page-kit'
import { CopyButton } from '../../components/copy-button.js'
import { InstanceMenu } from '../../components/instance-menu.js'
import { Sparkline } from '../../components/sparkline.js'
import { StatusBadge } from '../../components/status-badge.js'
import { pathTo } from '../../lib/addresses.js'
import { databaseName } from '../../lib/databases.js'
import { t } from '../../lib/i18n.js'
import {
  addressOf,
  hasNoBackup,
  isDown,
  isOtherwise,
  isRunning,
  needsAttention,
  needsUpgrade,
  type Instance,
} from '../../lib/instance.js'
import type { Ask } from '../instance/tab.js'

/** Most have it: only others are worth the room. */
const usualRuntime = 'process'

export interface ColumnsOptions {
  /** Response times of the last hour, by name; null: nothing was measured. */
  readonly times: ReadonlyMap<string, readonly (number | null)[]>
  /** Whether there are several versions. */
  readonly hasVersions: boolean
  readonly ask: (instance: string, ...asked: Parameters<Ask>) => void
}

export function columnsOf({ times, hasVersions, ask }: ColumnsOptions): readonly Column<Instance>[] {
  return [
    {
      id: 'name',
      title: t('column.name'),
      cell: (row) => <Name row={row} />,
      order: ({ name }) => name,
      onCard: 'title',
    },
    {
      id: 'status',
      title: t('column.health'),
      cell: (row) => <Health row={row} times={times.get(row.name) ?? []} />,
      order: ({ observed }) => observed,
      onCard: 'corner',
    },
    ...(hasVersions
      ? [
          {
            id: 'version',
            title: t('column.version'),
            cell: ({ version }: Instance) => version,
            order: ({ version }: Instance) => version,
            onCard: 'hidden' as const,
          },
        ]
      : []),
    {
      id: 'attention',
      title: t('column.attention'),
      cell: (row) => <Attention row={row} />,
      order: (row) => -[needsAttention, isDown, needsUpgrade, hasNoBackup].filter((test) => test(row)).length,
      onCard: 'plain',
    },
    {
      id: 'owner',
      title: t('column.owner'),
      cell: (row) => <span class="cut">{ownerOf(row)}</span>,
      order: ownerOf,
      wideOnly: true,
      onCard: 'hidden',
    },
    {
      id: 'updated',
      title: t('column.updated'),
      cell: ({ updated }) => (
        <span class="nowrap">
          <Time at={updated} />
        </span>
      ),
      order: ({ updated }) => updated,
      wideOnly: true,
      onCard: 'hidden',
    },
    {
      id: 'actions',
      title: t('column.actions'),
      titleHidden: true,
      align: 'end',
      cell: (row) => (
        <InstanceMenu
          small
          item={row}
          ask={(...asked) => ask(row.name, ...asked)}
          first={[{ id: 'open', label: t('create.open'), icon: 'link', href: addressOf(row), target: 'window' }]}
        />
      ),
      onCard: 'corner',
    },
  ]
}

function ownerOf({ company, owner_email, firstname, lastname }: Instance): string {
  return company || `${firstname} ${lastname}`.trim() || owner_email
}

/** After the name is where it is; on a card what it is. */
function Name({ row }: { readonly row: Instance }) {
  const { name, version, database, runtime } = row
  const address = addressOf(row)
  const other = runtime === usualRuntime ? [] : [runtime]
  return (
    <span class="instance">
      <a class="instance-name" href={pathTo('instances', name)}>
        {name}
      </a>
      <span class="instance-line in-row">
        <a href={address} target="_blank" rel="noopener noreferrer" title={t('instances.open', { name })}>
          {address.replace(/^https?:\/\//, '')}
        </a>
        <CopyButton value={address} of={t('instances.addressOf', { name })} text="icon" kind="quiet" />
        {other}
      </span>
      <span class="instance-line in-card">
        {[version, databaseName(database), ...other, ownerOf(row)].filter(Boolean).join(' · ')}
      </span>
    </span>
  )
}

function Health({ row, times }: { readonly row: Instance; readonly times: readonly (number | null)[] }) {
  const { name, status, observed } = row
  // What was measured before it was stopped is not how it is now.
  const last = isRunning(row) ? times.findLast((one) => one !== null) : undefined
  return (
    <span class="health">
      <StatusBadge observed={observed} />
      {isOtherwise(row) && (
        <span class="quiet">{t(status === 'started' ? 'instance.wantedStarted' : 'instance.wantedStopped')}</span>
      )}
      {last !== undefined && last !== null && (
        <span class="health-times">
          <Sparkline values={times} label={t('monitor.lastHourOf', { measure: t('monitor.response_ms'), name })} />
          <span class="quiet">{formatDuration(last)}</span>
        </span>
      )}
    </span>
  )
}

/** What a person should do something about. */
function Attention({ row }: { readonly row: Instance }) {
  const { name, operation, attention, health = '' } = row
  return (
    <span class="chips">
      {needsAttention(row) && (
        <a href={pathTo('instances', name)} title={attention}>
          <Badge tone="bad">{t('instances.attention')}</Badge>
        </a>
      )}
      {operation !== '' && !needsAttention(row) && (
        <a href={pathTo('activity', operation)}>
          <Badge tone="busy">{t('instances.operation')}</Badge>
        </a>
      )}
      {isDown(row) && (
        <Badge tone="bad">
          {health === '' || health === 'OK' ? t('instances.failed') : t('instances.unhealthy', { reason: health })}
        </Badge>
      )}
      {needsUpgrade(row) && <Badge tone="warn">{t('action.upgrade')}</Badge>}
      {hasNoBackup(row) && <Badge>{t('flag.nobackup')}</Badge>}
    </span>
  )
}
