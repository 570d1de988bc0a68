import { useLocation } from 'preact-iso'
import { useMemo, useState } from 'preact/hooks'
import type { MonitoredInstance } from '@steward/manager-core'
import { Button, EmptyState, Skeleton, Table, useSelection, useStore, View } from '@steward/page-kit'
import { ActionDialog, type ActionDialogProps } from '../components/action-dialog.js'
import { Command } from '../components/command.js'
import { FailureNotice } from '../components/failure-notice.js'
import { ProblemsNotice } from '../components/problems.js'
import { pathTo } from '../lib/addresses.js'
import { creating } from '../lib/creating.js'
import { t } from '../lib/i18n.js'
import { isBeingChanged, isDown, needsAttention, type Instance } from '../lib/instance.js'
import { useActionTable } from '../lib/session.js'
import { useApi } from '../lib/use-api.js'
import { useTrash } from '../lib/use-trash.js'
import '../styles/instances.css'
import { BulkBar } from './instances/bulk-bar.js'
import { columnsOf } from './instances/columns.js'
import { CreateDialog } from './instances/create-dialog.js'
import { filterRows, filtersOf, noFilters, wordsOf, type Filters } from './instances/filters.js'
import { FilterBar } from './instances/filter-bar.js'

const refreshMs = 10_000
/** While something is changed. */
const quickRefreshMs = 2000

/** Between two looks at what is measured once a minute. */
const monitoredMs = 60_000

const none: readonly Instance[] = []

type Asked = Omit<ActionDialogProps, 'onClose'>

/** What a person should look at. */
function comesFirst(row: Instance): boolean {
  return needsAttention(row) || isDown(row)
}

/** All instances: looked for, put in order, chosen, and changed many at the same time. Filters and order are in the address. */
export function Instances() {
  const { query, route } = useLocation()
  const { isAllowed } = useActionTable()
  const selection = useSelection()
  const [isCreating, setCreating] = [useStore(creating), creating.set]
  const [isChanging, setChanging] = useState(false)
  const list = useApi<{ list: readonly Instance[] }>(
    'list',
    { measure: true },
    { refreshMs: isChanging ? quickRefreshMs : refreshMs },
  )
  const trashed = useTrash().data?.list.length ?? 0
  const monitored = useApi<{ list: readonly MonitoredInstance[] }>(
    'monitoring',
    { points: 20 },
    { refreshMs: monitoredMs },
  )
  const [asked, setAsked] = useState<Asked>()
  const rows = list.data?.list ?? none
  const changes = rows.some((row) => isBeingChanged(row) || row.observed === 'starting')
  if (changes !== isChanging) setChanging(changes)

  const times = useMemo(
    () => new Map(monitored.data?.list.map(({ name, response_times = [] }) => [name, response_times])),
    [monitored.data],
  )
  const words = useMemo(() => new Map(rows.map((row) => [row.id, wordsOf(row)])), [rows])
  const hasVersions = new Set(rows.map(({ version }) => version)).size > 1
  const columns = useMemo(
    () =>
      columnsOf({
        times,
        hasVersions,
        ask: (instance, action, use) => setAsked({ action, instances: [instance], ...use }),
      }),
    [times, hasVersions],
  )
  const filters = filtersOf(query)
  const order = query['order'] ?? 'name'
  const shown = useMemo(() => filterRows(rows, filters, words), [rows, words, JSON.stringify(filters)])
  const chosen = selection.selected.size === 0 ? none : shown.filter(({ id }) => selection.selected.has(id))
  const show = (next: Filters, by = order) => route(addressOf(next, by), true)
  const create = isAllowed('add') || isAllowed('clone')

  return (
    <View
      title={t('nav.instances')}
      count={rows.filter(comesFirst).length}
      aside={list.data && <span role="status">{countText(shown.length, rows.length)}</span>}
      actions={
        create && (
          <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
            {t('instances.create')}
          </Button>
        )
      }
    >
      <ProblemsNotice />
      {list.failure && <FailureNotice failure={list.failure} onRetry={list.reload} />}
      {!list.data && !list.failure && <Skeleton lines={8} />}
      {rows.length > 0 && (
        <FilterBar
          rows={rows}
          filters={filters}
          columns={columns}
          order={order}
          onFilter={show}
          onOrder={(by) => show(filters, by)}
        />
      )}
      {list.data && rows.length === 0 && (
        <EmptyState title={t('instances.none')}>
          {create && <p>{t('instances.noneText')}</p>}
          {create && (
            <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
              {t('instances.create')}
            </Button>
          )}
          {create && <p>{t('instances.onServer')}</p>}
          {create && <Command text="manager add demo" />}
          {isAllowed('doctor') && <a href={pathTo('manager')}>{t('instances.checkSetup')}</a>}
        </EmptyState>
      )}
      {rows.length > 0 && shown.length === 0 && (
        <EmptyState title={t('instances.noMatch')} icon="search">
          <Button onClick={() => show(noFilters)}>{t('instances.clear')}</Button>
        </EmptyState>
      )}
      {shown.length > 0 && (
        <Table
          caption={t('nav.instances')}
          columns={columns}
          rows={shown}
          rowKey={({ id }) => id}
          rowName={({ name }) => name}
          isFirst={comesFirst}
          dense
          order={order}
          onOrder={(by) => show(filters, by)}
          selection={selection}
        />
      )}
      {trashed > 0 && (
        <p>
          <a href={pathTo('trash')}>{t('trash.count', { count: trashed })}</a>
        </p>
      )}
      <BulkBar chosen={chosen} onClear={selection.clear} />
      {asked && <ActionDialog {...asked} onClose={() => setAsked(undefined)} />}
      {isCreating && <CreateDialog instances={rows} onClose={() => setCreating(false)} onDone={list.reload} />}
    </View>
  )
}

function addressOf(filters: Filters, order: string): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
  if (order !== 'name') query.set('order', order)
  return `${pathTo('')}${query.size > 0 ? `?${query}` : ''}`
}

function countText(shown: number, all: number): string {
  return shown === all ? t('instances.count', { count: all }) : t('instances.countOf', { count: shown, all })
}
