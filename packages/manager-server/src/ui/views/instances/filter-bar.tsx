import { Button, Choice, type ChoiceProps, type Column, Search, Toolbar } from '@steward/page-kit'
import { observedStates } from '../../components/status-badge.js'
import { hasText, t } from '../../lib/i18n.js'
import type { Instance } from '../../lib/instance.js'
import { flagNames, noFilters, type Filters } from './filters.js'

export interface FilterBarProps {
  /** All of them, for the values to choose from. */
  readonly rows: readonly Instance[]
  readonly filters: Filters
  readonly onFilter: (filters: Filters) => void
  /** What they may be in order of. */
  readonly columns: readonly Column<Instance>[]
  readonly order: string
  readonly onOrder: (order: string) => void
}

export function FilterBar({ rows, filters, onFilter, columns, order, onOrder }: FilterBarProps) {
  const set = (key: keyof Filters, value: string) => onFilter({ ...filters, [key]: value })
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <Toolbar>
      <Search label={t('instances.search')} value={filters.q} onSearch={(text) => set('q', text)} />
      <Choice
        name={t('column.status')}
        any={t('instances.anyStatus')}
        value={filters.status}
        values={statesOf(rows)}
        onChoose={(value) => set('status', value)}
      />
      <Choice
        name={t('column.version')}
        any={t('instances.anyVersion')}
        value={filters.version}
        values={countsOf(rows, 'version')}
        onChoose={(value) => set('version', value)}
      />
      <Choice
        name={t('column.database')}
        any={t('instances.anyDatabase')}
        value={filters.database}
        values={countsOf(rows, 'database')}
        onChoose={(value) => set('database', value)}
      />
      <Choice
        name={t('field.runtime')}
        any={t('instances.anyRuntime')}
        value={filters.runtime}
        values={countsOf(rows, 'runtime')}
        onChoose={(value) => set('runtime', value)}
      />
      <Choice
        name={t('column.flags')}
        any={t('instances.anyFlag')}
        value={filters.flag}
        values={flagNames.map((flag) => [flag, t(`flag.${flag}`)])}
        onChoose={(value) => set('flag', value)}
      />
      <Choice
        name={t('instances.order')}
        any={t('instances.orderBy', { column: t('column.name') })}
        value={order === 'name' ? '' : order}
        values={ordersOf(columns)}
        onChoose={(value) => onOrder(value === '' ? 'name' : value)}
        cardsOnly
      />
      {isFiltered && (
        <Button kind="quiet" icon="close" onClick={() => onFilter(noFilters)}>
          {t('instances.clear')}
        </Button>
      )}
    </Toolbar>
  )
}

/** Each of them, up and down. */
function ordersOf(columns: readonly Column<Instance>[]): ChoiceProps['values'] {
  return columns
    .filter(({ order }) => order)
    .flatMap(({ id, title }) => [
      ...(id === 'name' ? [] : [[id, t('instances.orderBy', { column: title })] as const]),
      [`-${id}`, t('instances.orderDown', { column: title })] as const,
    ])
}

function statesOf(rows: readonly Instance[]): ChoiceProps['values'] {
  const counts = new Map(observedStates.map((state) => [state as string, 0]))
  for (const { observed } of rows) counts.set(observed, (counts.get(observed) ?? 0) + 1)
  return [...counts].map(([state, count]) => {
    const key = `status.${state}`
    return [state, `${hasText(key) ? t(key) : state} (${count})`]
  })
}

function countsOf(rows: readonly Instance[], key: 'version' | 'database' | 'runtime'): ChoiceProps['values'] {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(row[key], (counts.get(row[key]) ?? 0) + 1)
  return [...counts].toSorted(([a], [b]) => a.localeCompare(b)).map(([value, count]) => [value, `${value} (${count})`])
}
