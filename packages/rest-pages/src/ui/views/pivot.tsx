import type { AxisMetadata, CrosstabMetadata, ObjectMetadata } from '@steward/rest-core'
import { EmptyState, locale, Skeleton, Tabs, Toolbar, View } from '@steward/page-kit'
import { kindOf } from '@steward/page-kit/field-kinds'
import { PivotChart, PivotLine, pivotOf, PivotView, type PivotTexts } from '@steward/page-kit/pivot'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { FilterChips } from '../components/filter-chips.js'
import { Problem } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { readListAddress, writeListAddress } from '../lib/list-address.js'
import { conditionsAt } from '../lib/pivot-conditions.js'
import { useApiCall } from '../lib/screen.js'
import { metadataOf } from '../lib/service.js'
import { client } from '../lib/session.js'
import { pathTo } from '../lib/settings.js'
import { useAsked } from '../lib/use-asked.js'
import { searchOf } from '../lib/search.js'
import { zerosOf as zerosOfField } from '../lib/number-text.js'
import { textOf } from '../lib/value-text.js'
import '../styles/pivot.css'
import { NotFound } from './not-found.js'

/** A pivot table, at `/ui/<Object>/pivot/<name>?…` with the filters of the list. */
export function Pivot() {
  const { object = '', name = '' } = useRoute().params
  const { data: metadata, failure, reload } = useAsked(object, () => metadataOf(object, 'list'))
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!metadata) return <Skeleton />
  const crosstab = metadata.crosstabs.find((one) => one.name === name)
  return crosstab ? <PivotOf key={crosstab.id} metadata={metadata} crosstab={crosstab} /> : <NotFound />
}

interface PivotOfProps {
  readonly metadata: ObjectMetadata
  readonly crosstab: CrosstabMetadata
}

function PivotOf({ metadata, crosstab }: PivotOfProps) {
  const { url, route } = useLocation()
  const address = readListAddress(url.replace(/^[^?]*/, ''))
  const { filters, filter } = searchOf(address, metadata)
  const [form, setForm] = useState('table')
  const [value, setValue] = useState(0)
  const { name, label, help } = crosstab
  const object = metadata.name
  const { data, failure, reload } = useAsked(JSON.stringify([name, filters, filter]), (signal) =>
    client.object(object).crosstab(name, filters, { filter, signal }),
  )
  useApiCall({ object, method: 'crosstab', args: [name, filters, { filter }] })
  const pivot = pivotOf(data)
  const zeros = zerosOf(crosstab.values[value], metadata)
  const texts: PivotTexts = {
    table: label || name,
    total: t('pivot.total'),
    subtotal: (place) => t('pivot.subtotal', { place }),
    number: (one) =>
      one.toLocaleString(locale, { minimumFractionDigits: zeros, maximumFractionDigits: Math.max(zeros, 4) }),
    value(axis, at, one) {
      if (one === null || one === '') return t('filter.empty')
      const { field: of, by } = crosstab[axis][at] as AxisMetadata
      const field = metadata.fields.find((known) => known.name === of)
      return field && by === null ? textOf(field, one) : String(one)
    },
  }
  const line = (['lines', 'columns'] as const).find(
    (axis) => crosstab[axis].length === 1 && isDate(crosstab[axis][0] as AxisMetadata, metadata),
  )
  return (
    <View
      title={label || name}
      above={<a href={pathTo(object)}>{metadata.plurallabel || metadata.label || object}</a>}
      aside={help}
    >
      <Toolbar>
        {crosstab.values.length > 1 && (
          <label class="pivot-value">
            <span class="hidden">{t('pivot.value')}</span>
            <select value={value} onChange={(event) => setValue(Number(event.currentTarget.value))}>
              {crosstab.values.map((one, at) => (
                <option key={one.name} value={at}>
                  {one.field === null && one.label === one.name ? t('pivot.count') : one.label}
                </option>
              ))}
            </select>
          </label>
        )}
        <FilterChips
          metadata={metadata}
          conditions={address.conditions}
          onChange={(conditions) => route(pathTo(object, 'pivot', name) + writeListAddress({ ...address, conditions }))}
        />
      </Toolbar>
      {failure !== undefined ? (
        <Problem failure={failure} onRetry={reload} />
      ) : data === undefined ? (
        <Skeleton lines={8} />
      ) : !pivot || pivot.rows.length < 2 ? (
        <EmptyState title={t('list.noMatch')} />
      ) : (
        <Tabs
          label={label || name}
          tabs={[
            { id: 'table', label: t('pivot.table') },
            { id: 'chart', label: t('pivot.chart') },
          ]}
          selected={form}
          onSelect={setForm}
        >
          <div class="panel pivot-panel">
            {form === 'table' ? (
              <PivotView
                pivot={pivot}
                value={value}
                texts={texts}
                hrefOf={(lines, columns) => {
                  const conditions = new Map([
                    ...address.conditions,
                    ...conditionsAt(crosstab.lines, lines, metadata.fields),
                    ...conditionsAt(crosstab.columns, columns, metadata.fields),
                  ])
                  return pathTo(object) + writeListAddress({ ...address, order: '', conditions })
                }}
              />
            ) : line ? (
              <PivotLine pivot={pivot} value={value} texts={texts} axis={line} />
            ) : (
              <PivotChart pivot={pivot} value={value} texts={texts} />
            )}
          </div>
        </Tabs>
      )}
    </View>
  )
}

/** Digits after the point that all results of a value have: those of a sum of amounts, not those of a mean. */
function zerosOf(value: CrosstabMetadata['values'][number] | undefined, { fields }: ObjectMetadata): number {
  const field = fields.find(({ name }) => name === value?.field)
  return field && ['sum', 'min', 'max'].includes(String(value?.function)) ? zerosOfField(field) : 0
}

function isDate({ field: name, by }: AxisMetadata, { fields }: ObjectMetadata): boolean {
  const field = fields.find((one) => one.name === name)
  return by !== null || (field !== undefined && ['date', 'datetime'].includes(kindOf(field)))
}
