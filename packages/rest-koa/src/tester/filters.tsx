import { Button } from '@steward/page-kit/button'
import { kindOf } from '@steward/page-kit/field-kinds'
import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { SelectField, TextField } from './controls.js'
import type { Common } from './controls.js'
import type { FilterRow, Operator } from './draft.js'
import { conditionOf, filterChoices, operatorsOf, readCondition } from './filter-condition.js'
import { filterHint } from './filter-hint.js'
import { t } from './i18n.js'
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
      <legend>{t('filters')}</legend>
      {filters.map((filter, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have no other identity
        <div key={at} class="filter" role="group" aria-label={t('filter.label', { number: at + 1 })}>
          <FilterFieldPicker
            object={object}
            value={filter.field}
            metadata={metadata}
            onInput={(field) => put(at, { field, value: '', operator: undefined })}
          />
          <Condition
            filter={filter}
            field={metadata.value?.fields.find(({ name }) => name === filter.field)}
            onInput={(row) => put(at, row)}
          />
          <Button
            small
            label={t('filter.removeLabel', { number: at + 1 })}
            onClick={() => onChange(filters.filter((_, index) => index !== at))}
          >
            {t('filter.remove')}
          </Button>
        </div>
      ))}
      <Button small onClick={() => onChange([...filters, { field: '', value: '' }])}>
        {t('filter.add')}
      </Button>
      <TextField label={t('filter.several')} value={condition} onInput={onCondition} hint={t('filter.severalAbout')} />
    </fieldset>
  )
}

/** Operator and value, by the type of the field. */
function Condition(props: {
  filter: FilterRow
  field: FieldMetadata | undefined
  onInput: (row: Partial<FilterRow>) => void
}) {
  const { filter, field, onInput } = props
  const { operator, value } = readCondition(field, filter.value, filter.operator)
  const put = (next: Operator, entered: string): void => onInput({ operator: next, value: conditionOf(next, entered) })
  const common = { label: t('filter.value'), value, onInput: (entered: string) => put(operator, entered) }
  const choices = field ? filterChoices(field) : []
  return (
    <>
      {field && (
        <SelectField
          label={t('filter.operator')}
          value={operator}
          onInput={(next) =>
            // What is a condition for one operator is no value of another.
            put(next as Operator, next === 'condition' ? filter.value : operator === 'condition' ? '' : value)
          }
          choices={operatorsOf(field).map((one) => ({ value: one, label: t(`operator.${one}`) }))}
        />
      )}
      {operator === 'condition' ? (
        <TextField {...common} label={t('filter.condition')} hint={filterHint(field)} />
      ) : operator === 'empty' || operator === 'notEmpty' ? null : choices.length > 0 ? (
        <SelectField
          {...common}
          choices={['', ...choices].map((code) => ({ value: code, label: code || t('filter.any') }))}
        />
      ) : (
        <ValueField {...common} field={field} />
      )}
    </>
  )
}

function ValueField({ field, ...common }: Common & { field: FieldMetadata | undefined }) {
  const kind = field && kindOf(field)
  if (kind === 'date') return <TextField {...common} type="date" />
  if (kind === 'time') return <TextField {...common} type="time" step={1} />
  if (kind !== 'datetime') return <TextField {...common} />
  return (
    <TextField
      {...common}
      type="datetime-local"
      step={1}
      value={common.value.replace(' ', 'T')}
      onInput={(entered) => common.onInput(entered.replace('T', ' ').replace(/ (\d\d:\d\d)$/, ' $1:00'))}
    />
  )
}
