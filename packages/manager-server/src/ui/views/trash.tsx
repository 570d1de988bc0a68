import { useMemo, useState } from 'preact/hooks'
import type { TrashItem } from '@steward/manager-core'
import { Button, EmptyState, formatBytes, Skeleton, Table, Time, View, type Column } from '@steward/page-kit'
import { ActionDialog, type ActionDialogProps } from '../components/action-dialog.js'
import { FailureNotice } from '../components/failure-notice.js'
import { pathTo } from '../lib/addresses.js'
import { databaseName } from '../lib/databases.js'
import { hasText, t } from '../lib/i18n.js'
import { useActionTable } from '../lib/session.js'
import { useTrash } from '../lib/use-trash.js'
import '../styles/panel.css'

type Asked = Omit<ActionDialogProps, 'onClose'>

/** What was deleted or replaced and can still be restored. */
export function Trash() {
  const { data, failure, reload } = useTrash(true)
  const { isAllowed } = useActionTable()
  const [order, setOrder] = useState('-deleted')
  const [asked, setAsked] = useState<Asked>()
  const columns = useMemo(
    () => columnsOf((action) => isAllowed(action), setAsked),
    [isAllowed('undelete'), isAllowed('purge')],
  )
  return (
    <View title={t('trash.title')} above={<a href={pathTo('')}>← {t('nav.instances')}</a>}>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!data && !failure && <Skeleton lines={4} />}
      {data?.list.length === 0 && (
        <EmptyState title={t('trash.none')} icon="trash">
          <p>{t('trash.noneText')}</p>
        </EmptyState>
      )}
      {data && data.list.length > 0 && (
        <Table
          caption={t('trash.title')}
          columns={columns}
          rows={data.list}
          rowKey={({ entry }) => entry}
          order={order}
          onOrder={setOrder}
        />
      )}
      {asked && <ActionDialog {...asked} onClose={() => setAsked(undefined)} />}
    </View>
  )
}

function columnsOf(isAllowed: (action: string) => boolean, ask: (asked: Asked) => void): readonly Column<TrashItem>[] {
  return [
    {
      id: 'name',
      title: t('column.name'),
      cell: (row) => (
        <span class="cell-lines">
          <strong>{row.name}</strong>
          <span class="quiet">
            {[row.version, databaseName(row.database), ...(row.reason === 'delete' ? [] : [reasonOf(row)])].join(' · ')}
          </span>
        </span>
      ),
      order: ({ name }) => name,
      onCard: 'title',
    },
    {
      id: 'deleted',
      title: t('trash.deleted'),
      cell: ({ deleted }) => <Time at={deleted} />,
      order: ({ deleted }) => deleted,
    },
    { id: 'by', title: t('trash.by'), cell: ({ by }) => by, order: ({ by }) => by, wideOnly: true },
    {
      id: 'expires',
      title: t('trash.expires'),
      cell: ({ expires }) => <Time at={expires} as="date" />,
      order: ({ expires }) => expires,
    },
    {
      id: 'size',
      title: t('trash.size'),
      align: 'end',
      cell: ({ size }) => (size === undefined ? '' : formatBytes(size)),
      order: ({ size }) => size ?? -1,
    },
    {
      id: 'actions',
      title: t('trash.actions'),
      cell: ({ entry, name }) => (
        <span class="part-buttons">
          {isAllowed('undelete') && (
            <Button
              small
              icon="restart"
              onClick={() => ask({ action: 'undelete', instances: [name], given: { entry }, fields: ['as'] })}
            >
              {t('trash.restore')}
            </Button>
          )}
          {isAllowed('purge') && (
            <Button
              small
              kind="danger"
              onClick={() => ask({ action: 'purge', instances: [name], given: { entry }, fields: [] })}
            >
              {t('trash.purge')}
            </Button>
          )}
        </span>
      ),
    },
  ]
}

/** Why it is in the trash; a later manager may know others. */
function reasonOf({ reason }: TrashItem): string {
  const key = `trash.reason.${reason}`
  return hasText(key) ? t(key) : reason
}
