import { useState } from 'preact/hooks'
import type { WireBackup } from '@steward/manager-core'
import {
  Badge,
  Button,
  type Column,
  EmptyState,
  formatBytes,
  formatDateTime,
  formatNumber,
  Menu,
  Skeleton,
  Table,
  Time,
} from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { apiAddress } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { useActionTable, useSession } from '../../lib/session.js'
import { useApi } from '../../lib/use-api.js'
import { useTargets } from '../../lib/use-targets.js'
import type { Ask, TabProps } from './tab.js'

/** Its backups, here or at a target, and what can be done with each. */
export function BackupsTab({ item: { name }, ask }: TabProps) {
  const { isAllowed } = useActionTable()
  const [at, setAt] = useState('')
  const [order, setOrder] = useState('-saved')
  const targets = useTargets() ?? []
  const hasTargets = targets.length > 0
  const { data, failure, reload } = useApi<{ readonly list: readonly WireBackup[] }>('backups-list', { name, at })
  return (
    <div class="tab-parts">
      <div class="tab-bar">
        {hasTargets && (
          <label class="field">
            <span>{t('backup.where')}</span>
            <select value={at} onChange={({ currentTarget }) => setAt(currentTarget.value)}>
              <option value="">{t('backup.here')}</option>
              {targets.map((target) => (
                <option key={target.name} value={target.name}>
                  {target.name}
                </option>
              ))}
            </select>
          </label>
        )}
        <span class="part-buttons">
          {isAllowed('save') && (
            <Button kind="primary" icon="save" onClick={() => ask('save')}>
              {t('action.save')}
            </Button>
          )}
          {isAllowed('backups-prune') && (
            <Button onClick={() => ask('backups-prune', { given: { at } })}>{t('action.backups-prune')}</Button>
          )}
        </span>
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {data?.warnings?.map((warning) => (
        <p key={warning} class="notice warn" lang="en">
          {warning}
        </p>
      ))}
      {!data && !failure && <Skeleton />}
      {data &&
        (data.list.length === 0 ? (
          <EmptyState title={t('backup.none')}>
            <p>{t('backup.noneText')}</p>
          </EmptyState>
        ) : (
          <Backups
            list={data.list}
            name={name}
            at={at}
            hasTargets={hasTargets}
            order={order}
            ask={ask}
            onOrder={setOrder}
          />
        ))}
    </div>
  )
}

interface BackupsProps {
  readonly list: readonly WireBackup[]
  readonly name: string
  /** Empty: here. */
  readonly at: string
  /** There is somewhere to copy them to. */
  readonly hasTargets: boolean
  readonly ask: Ask
  readonly order: string
  readonly onOrder: (order: string) => void
}

function Backups({ list, order, onOrder, ...rest }: BackupsProps) {
  const columns: readonly Column<WireBackup>[] = [
    {
      id: 'saved',
      title: t('backup.saved'),
      onCard: 'title',
      cell: ({ saved, backup }) => (
        <span class="cell-lines">
          <strong>
            <Time at={saved} />
          </strong>
          <span class="cell-about">{backup}</span>
        </span>
      ),
      order: ({ saved }) => saved,
    },
    { id: 'state', title: t('backup.state'), cell: (backup) => <StateOf {...backup} /> },
    {
      id: 'size',
      title: t('backup.size'),
      align: 'end',
      cell: ({ size }) => formatBytes(size),
      order: ({ size }) => size,
    },
    { id: 'version', title: t('field.version'), cell: ({ version }) => version, order: ({ version }) => version },
    { id: 'database', title: t('field.database'), cell: ({ database }) => database, wideOnly: true },
    {
      id: 'copies',
      title: t('backup.copies'),
      cell: ({ copies }) => (copies === '' ? <span class="quiet">–</span> : copies),
      wideOnly: true,
    },
    {
      id: 'actions',
      title: t('backup.actions'),
      onCard: 'corner',
      cell: (backup) => <ActionsOf backup={backup} {...rest} />,
    },
  ]
  return (
    <Table
      caption={t('instance.backups')}
      columns={columns}
      rows={list}
      rowKey={({ backup, name: of }) => `${of}/${backup}`}
      order={order}
      onOrder={onOrder}
    />
  )
}

function StateOf({ damage, verified, proved, proved_seconds: seconds }: WireBackup) {
  if (damage !== '')
    return (
      <span class="cell-lines">
        <Badge tone="bad">{t('backup.damaged')}</Badge>
        <span class="cell-about" lang="en">
          {damage}
        </span>
      </span>
    )
  return (
    <span class="cell-lines">
      <Badge tone="good">{t(proved === '' ? 'backup.good' : 'backup.isProved')}</Badge>
      <span class="cell-about">
        {proved === '' ? t('backup.verified') : t('backup.provedIn', { seconds: formatNumber(seconds) })}{' '}
        <Time at={proved === '' ? verified : proved} />
      </span>
    </span>
  )
}

interface ActionsOfProps extends Pick<BackupsProps, 'name' | 'at' | 'hasTargets' | 'ask'> {
  readonly backup: WireBackup
}

function ActionsOf({ backup: { backup, damage, saved }, name, at, hasTargets, ask }: ActionsOfProps) {
  const { isAllowed } = useActionTable()
  const session = useSession()
  const isHere = at === ''
  const from = isHere ? backup : `${at}:${backup}`
  const when = formatDateTime(saved)
  const offered = (
    [
      ['restore', () => ask('restore', { given: { from }, fields: ['only', 'allow-newer'] }), damage === ''],
      [
        'restoreAs',
        () =>
          ask('restore', {
            given: { from },
            fields: ['as', 'database', 'allow-newer'],
            required: ['as'],
            title: t('backup.restoreAs'),
          }),
        damage === '',
      ],
      ['backups-verify', () => ask('backups-verify', { given: { backup, at }, fields: isHere ? ['deep'] : [] }), true],
      ['prove', () => ask('prove', { given: { backup, ...(!isHere && { from }) }, fields: [] }), damage === ''],
      ['backups-export', () => ask('backups-export', { given: { backup } }), isHere && hasTargets],
      ['backups-fetch', () => ask('backups-fetch', { given: { from }, fields: [] }), !isHere],
    ] as const
  ).filter(([action, , fits]) => fits && isAllowed(action === 'restoreAs' ? 'restore' : action))
  const canDownload = isHere && isAllowed('download') && session?.features.download !== false
  return (
    <Menu
      small
      label={t('backup.actionsOf', { when })}
      groups={[
        offered.map(([action, onSelect]) => ({
          id: action,
          label: action === 'restoreAs' ? t('backup.restoreAs') : t(`action.${action}`),
          onSelect,
        })),
        canDownload
          ? [
              {
                id: 'download',
                label: t('backup.download'),
                href: apiAddress('download', { name, backup }),
                target: 'download',
              },
            ]
          : [],
      ]}
    />
  )
}
