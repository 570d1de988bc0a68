import { useState } from 'preact/hooks'
import type { WireDatabase, WireTable } from '@steward/manager-core'
import { Badge, Button, type Column, formatBytes, formatNumber, Skeleton, Table } from '@steward/page-kit'
import { FailureNotice } from '../../components/failure-notice.js'
import { Facts, Panel } from '../../components/panel.js'
import { t } from '../../lib/i18n.js'
import { useApi } from '../../lib/use-api.js'
import type { TabProps } from './tab.js'

interface Answer {
  readonly item: WireDatabase
}

interface Counted extends Answer {
  readonly list?: readonly WireTable[]
}

const columns: readonly Column<WireTable>[] = [
  { id: 'table', title: t('database.table'), onCard: 'title', cell: ({ table }) => table, order: ({ table }) => table },
  {
    id: 'rows',
    title: t('database.rows'),
    align: 'end',
    cell: ({ rows }) => formatNumber(rows),
    order: ({ rows }) => rows,
  },
]

/** Where the database is, and, when it is asked for, how much is in it. */
export function DataTab({ item: { name } }: TabProps) {
  const [isCounted, setCounted] = useState(false)
  const [order, setOrder] = useState('-rows')
  const plain = useApi<Answer>('dbinfo', { name })
  const counted = useApi<Counted>(isCounted ? 'dbinfo' : undefined, { name, rows: true })
  const failure = counted.failure ?? plain.failure
  if (failure && !plain.data) return <FailureNotice failure={failure} onRetry={plain.reload} />
  if (!plain.data) return <Skeleton />
  const { type, server, host, port, database, user, exists, bytes, tables, rows } =
    counted.data?.item ?? plain.data.item
  const list = counted.data?.list
  const isCounting = isCounted && counted.loading
  return (
    <div class="tab-parts">
      <Panel
        title={t('instance.database')}
        actions={
          exists && (
            <Button small busy={isCounting} onClick={() => (isCounted ? counted.reload() : setCounted(true))}>
              {t('database.count')}
            </Button>
          )
        }
      >
        <Facts
          facts={[
            [t('database.type'), `${type} (${server})`],
            [t('database.server'), host === '' ? t('database.embedded') : `${host}:${port}`],
            [t('database.name'), <code>{database}</code>],
            [t('database.user'), user],
            [t('backup.state'), exists ? undefined : <Badge tone="bad">{t('database.gone')}</Badge>],
            [t('backup.size'), bytes === undefined ? undefined : formatBytes(bytes)],
            [t('database.tables'), tables === undefined ? undefined : formatNumber(tables)],
            [t('database.rows'), rows === undefined ? undefined : formatNumber(rows)],
          ]}
        />
        <p class="quiet">{t('database.about')}</p>
      </Panel>
      {failure && <FailureNotice failure={failure} />}
      {list && list.length > 0 && (
        <Table
          caption={t('database.tables')}
          columns={columns}
          rows={list}
          rowKey={({ table }) => table}
          order={order}
          onOrder={setOrder}
        />
      )}
    </div>
  )
}
