import { useState } from 'preact/hooks'
import { Button, Choice, type ChoiceProps, type Column, Dialog, Search, Toolbar } from '@steward/page-kit'
import { databaseName } from '../../lib/databases.js'
import { hasText, t } from '../../lib/i18n.js'
import type { Instance } from '../../lib/instance.js'
import { flagNames, flags, noFilters, quickFlags, type Filters, type Flag } from './filters.js'

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

/** Search, chips for what needs a person, and the filters that divide the rows; on a phone in a sheet. */
export function FilterBar(props: FilterBarProps) {
  const { rows, filters, onFilter, columns, order, onOrder } = props
  const [isOpen, setOpen] = useState(false)
  const active = Object.entries(filters).filter(([key, value]) => key !== 'q' && value !== '').length
  const clear = (active > 0 || filters.q !== '') && (
    <Button kind="quiet" icon="close" onClick={() => onFilter({ ...noFilters })}>
      {t('instances.clear')}
    </Button>
  )
  return (
    <Toolbar>
      <Search label={t('instances.search')} value={filters.q} onSearch={(q) => onFilter({ ...filters, q })} />
      <Button class="filter-button" icon="settings" onClick={() => setOpen(true)}>
        {active > 0 ? t('instances.filterActive', { count: active }) : t('instances.filter')}
      </Button>
      <div class="filter-inline">
        <Quick {...props} />
        <Selects {...props} />
        {clear}
      </div>
      {isOpen && (
        <Dialog
          title={t('instances.filter')}
          onClose={() => setOpen(false)}
          footer={
            <>
              {clear}
              <Button kind="primary" onClick={() => setOpen(false)}>
                {t('button.close')}
              </Button>
            </>
          }
        >
          <div class="filter-sheet">
            <Quick {...props} />
            <Selects {...props} />
            <Choice
              name={t('instances.order')}
              any={t('instances.orderBy', { column: t('column.name') })}
              value={order === 'name' ? '' : order}
              values={ordersOf(columns, rows)}
              onChoose={(value) => onOrder(value === '' ? 'name' : value)}
            />
          </div>
        </Dialog>
      )}
    </Toolbar>
  )
}

/** What needs a person, with its number; pressed, only these are shown. */
function Quick({ rows, filters, onFilter }: FilterBarProps) {
  const chips = quickFlags.flatMap((flag) => {
    const count = rows.filter(flags[flag]).length
    return count > 0 || filters.flag === flag ? [[flag, count] as const] : []
  })
  if (chips.length === 0) return null
  return (
    <div class="chips" role="group" aria-label={t('column.attention')}>
      {chips.map(([flag, count]) => (
        <button
          key={flag}
          type="button"
          class="chip"
          aria-pressed={filters.flag === flag}
          onClick={() => onFilter({ ...filters, flag: filters.flag === flag ? '' : flag })}
        >
          {t(`flag.${flag}`)} <b>{count}</b>
        </button>
      ))}
    </div>
  )
}

function Selects({ rows, filters, onFilter }: FilterBarProps) {
  const set = (key: keyof Filters, value: string) => onFilter({ ...filters, [key]: value })
  const selects = [
    ['status', t('column.status'), t('instances.anyStatus'), countsOf(rows, 'observed', statusText)],
    ['version', t('column.version'), t('instances.anyVersion'), countsOf(rows, 'version')],
    ['database', t('column.database'), t('instances.anyDatabase'), countsOf(rows, 'database', databaseName)],
    ['runtime', t('field.runtime'), t('instances.anyRuntime'), countsOf(rows, 'runtime')],
  ] as const
  const rest = flagNames.filter((flag) => !quickFlags.includes(flag) && tellsApart(rows, flag))
  const hasRest = rest.length > 0 || rest.some((flag) => flag === filters.flag)
  return (
    <>
      {selects
        .filter(([key, , , values]) => values.length > 1 || filters[key] !== '')
        .map(([key, name, any, values]) => (
          <Choice
            key={key}
            name={name}
            any={any}
            value={filters[key]}
            values={values}
            onChoose={(value) => set(key, value)}
          />
        ))}
      {hasRest && (
        <Choice
          name={t('column.flags')}
          any={t('instances.anyFlag')}
          value={rest.some((flag) => flag === filters.flag) ? filters.flag : ''}
          values={rest.map((flag) => [flag, t(`flag.${flag}`)])}
          onChoose={(value) => set('flag', value)}
        />
      )}
    </>
  )
}

/** Whether some have it, and others do not. */
function tellsApart(rows: readonly Instance[], flag: Flag): boolean {
  const count = rows.filter(flags[flag]).length
  return count > 0 && count < rows.length
}

/** Each of them, up and down. */
function ordersOf(columns: readonly Column<Instance>[], rows: readonly Instance[]): ChoiceProps['values'] {
  if (rows.length < 2) return []
  return columns
    .filter(({ order }) => order)
    .flatMap(({ id, title }) => [
      ...(id === 'name' ? [] : [[id, t('instances.orderBy', { column: title })] as const]),
      [`-${id}`, t('instances.orderDown', { column: title })] as const,
    ])
}

function statusText(state: string): string {
  const key = `status.${state}`
  return hasText(key) ? t(key) : state
}

function countsOf(
  rows: readonly Instance[],
  key: 'observed' | 'version' | 'database' | 'runtime',
  textOf = (value: string) => value,
): ChoiceProps['values'] {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(row[key], (counts.get(row[key]) ?? 0) + 1)
  return [...counts]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([value, count]) => [value, `${textOf(value)} (${count})`])
}
