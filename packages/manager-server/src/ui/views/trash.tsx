import { useMemo, useState } from 'preact/hooks'
import { Button, EmptyState, Skeleton, Table, Time, View, type Column } from '@steward/page-kit'
import { ActionDialog, type ActionDialogProps } from '../components/action-dialog.js'
import { FailureNotice } from '../components/failure-notice.js'
import { pathTo } from '../lib/addresses.js'
import { hasText, t } from '../lib/i18n.js'
import { useActionTable } from '../lib/session.js'
import { useTrash, type TrashItem } from '../lib/use-trash.js'
import '../styles/panel.css'

type Asked = Omit<ActionDialogProps, 'onClose'>

/** What was deleted or replaced and can still be restored. */
export function Trash() {
  const { data, failure, reload } = useTrash()
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
      cell: ({ name }) => <strong>{name}</strong>,
      order: ({ name }) => name,
      onCard: 'title',
    },
    { id: 'reason', title: t('trash.reason'), cell: reasonOf, order: reasonOf },
    {
      id: 'deleted',
      title: t('trash.deleted'),
      cell: ({ deleted }) => <Time at={deleted} />,
      order: ({ deleted }) => deleted,
    },
    {
      id: 'expires',
      title: t('trash.expires'),
      cell: ({ expires }) => <Time at={expires} as="date" />,
      order: ({ expires }) => expires,
    },
    { id: 'version', title: t('column.version'), cell: ({ version }) => version, wideOnly: true },
    { id: 'database', title: t('column.database'), cell: ({ database }) => database, wideOnly: true },
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
              {t('action.purge')}
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
