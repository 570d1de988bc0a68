import { Badge, type Column, formatBytes, formatDuration, Icon, type IconName, Time } from '@steward/page-kit'
import { StatusBadge } from '../../components/status-badge.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { addressOf, isOtherwise, needsAttention, needsUpgrade, type Instance } from '../../lib/instance.js'

/** Most have it: only others are worth the room. */
const usualRuntime = 'process'

/** @param dates of the newest templates, by version */
export function columnsOf(dates: ReadonlyMap<string, string>): readonly Column<Instance>[] {
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
      title: t('column.status'),
      cell: (row) => <Status row={row} />,
      order: ({ observed }) => observed,
      onCard: 'corner',
    },
    {
      id: 'version',
      title: t('column.version'),
      cell: (row) => (
        <span class="version">
          {row.version}
          {row.runtime !== usualRuntime && <span class="quiet">{row.runtime}</span>}
          {needsUpgrade(row, dates) && (
            <span class="newer" title={t('instances.newer')}>
              <Icon name="up" />
              <span class="hidden">{t('instances.newer')}</span>
            </span>
          )}
        </span>
      ),
      order: ({ version }) => version,
    },
    {
      id: 'database',
      title: t('column.database'),
      cell: ({ database }) => database,
      order: ({ database }) => database,
    },
    {
      id: 'uptime',
      title: t('column.uptime'),
      cell: ({ uptime_seconds: seconds }) => (seconds ? formatDuration(seconds * 1000) : ''),
      order: ({ uptime_seconds: seconds }) => seconds ?? -1,
      wideOnly: true,
      onCard: 'hidden',
    },
    {
      id: 'memory',
      title: t('column.memory'),
      align: 'end',
      cell: ({ memory_mb: mb }) => (mb ? formatBytes(mb * 1_048_576) : ''),
      order: ({ memory_mb: mb }) => mb ?? -1,
      wideOnly: true,
      onCard: 'hidden',
    },
    {
      id: 'backup',
      title: t('column.backup'),
      cell: ({ last_backup: at }) => (at ? <Time at={at} /> : <span class="quiet">{t('time.never')}</span>),
      order: ({ last_backup: at }) => at ?? '',
      wideOnly: true,
    },
    { id: 'flags', title: t('column.flags'), cell: (row) => <Flags row={row} /> },
    {
      id: 'owner',
      title: t('column.owner'),
      cell: (row) => <span class="cut">{ownerOf(row)}</span>,
      order: ownerOf,
      wideOnly: true,
    },
    { id: 'address', title: t('column.address'), cell: (row) => <Address row={row} />, onCard: 'hidden' },
  ]
}

function ownerOf({ company, owner_email, firstname, lastname }: Instance): string {
  return company || `${firstname} ${lastname}`.trim() || owner_email
}

function Name({ row: { name } }: { readonly row: Instance }) {
  return (
    <a class="instance-name" href={pathTo('instances', name)}>
      {name}
    </a>
  )
}

function Status({ row }: { readonly row: Instance }) {
  const { status, observed, operation, attention, health = '' } = row
  return (
    <span class="status">
      <StatusBadge observed={observed} />
      {isOtherwise(row) && (
        <span class="quiet">{t(status === 'started' ? 'instance.wantedStarted' : 'instance.wantedStopped')}</span>
      )}
      {health !== '' && health !== 'OK' && <Badge tone="bad">{t('instances.unhealthy', { reason: health })}</Badge>}
      {operation !== '' && (
        <a
          href={needsAttention(row) ? pathTo('instances', row.name) : pathTo('operations', operation)}
          title={attention || undefined}
        >
          <Badge tone={attention ? 'bad' : 'busy'}>
            {t(attention ? 'instances.attention' : 'instances.operation')}
          </Badge>
        </a>
      )}
    </span>
  )
}

function Flags({ row }: { readonly row: Instance }) {
  const marks: readonly (readonly [IconName, string, boolean])[] = [
    ['shield', t('flag.protected'), row.protected === 'yes'],
    ['save', t('flag.autosave'), row.auto_save === 'yes'],
    ['up', t('flag.autoupdate'), row.auto_update === 'yes'],
  ]
  return (
    <span class="flags">
      {marks.map(([icon, text, isSet]) => (
        <span key={icon} class={isSet ? 'set' : ''} title={isSet ? text : undefined}>
          <Icon name={icon} />
          {isSet && <span class="hidden">{text}</span>}
        </span>
      ))}
    </span>
  )
}

function Address({ row }: { readonly row: Instance }) {
  const address = addressOf(row)
  const text = t('instances.open', { name: row.name })
  return (
    <a
      class="button quiet bare small"
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={text}
      title={address}
    >
      <Icon name="link" />
    </a>
  )
}
