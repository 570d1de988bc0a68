import type { ObjectMetadata } from '@steward/rest-core'
import { TextField } from './controls.js'
import type { FilterRow } from './draft.js'
import { filterHint } from './metadata.js'
import { FilterFieldPicker } from './pickers.js'
import type { Loaded } from './use-service.js'

/** Conditions that must all hold; a field may be given twice: one of them. */
export function Filters(props: {
  object: string
  filters: readonly FilterRow[]
  condition: string
  metadata: Loaded<ObjectMetadata>
  onChange: (filters: readonly FilterRow[]) => void
  onCondition: (condition: string) => void
}) {
  const { object, filters, condition, metadata, onChange, onCondition } = props
  const put = (at: number, row: Partial<FilterRow>): void =>
    onChange(filters.map((filter, index) => (index === at ? { ...filter, ...row } : filter)))
  return (
    <fieldset class="filters">
      <legend>Filters</legend>
      {filters.map((filter, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have no other identity
        <div key={at} class="filter" role="group" aria-label={`Filter ${at + 1}`}>
          <FilterFieldPicker
            object={object}
            value={filter.field}
            metadata={metadata}
            onInput={(field) => put(at, { field })}
          />
          <TextField
            label="Condition"
            value={filter.value}
            onInput={(value) => put(at, { value })}
            hint={filterHint(metadata.value?.fields.find(({ name }) => name === filter.field))}
          />
          <button
            type="button"
            class="small"
            aria-label={`Remove filter ${at + 1}`}
            onClick={() => onChange(filters.filter((_, index) => index !== at))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" class="small" onClick={() => onChange([...filters, { field: '', value: '' }])}>
        Add a filter
      </button>
      <TextField
        label="On several fields"
        value={condition}
        onInput={onCondition}
        hint={`Also holds: (a like 'x%' or b__c = 1) and d is not null. b__c is field c of what b refers to.`}
      />
    </fieldset>
  )
}
