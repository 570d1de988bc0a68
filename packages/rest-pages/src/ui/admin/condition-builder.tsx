import type { FieldMetadata } from '@steward/rest-core'
import { Button } from '@steward/page-kit'
import { kindOf, type FieldKind } from '@steward/page-kit/field-kinds'
import type { InputHTMLAttributes } from 'preact'
import { useState } from 'preact/hooks'
import { choicesOf } from '../lib/filters.js'
import { t } from './i18n.js'

export interface ConditionBuilderProps {
  readonly fields: readonly FieldMetadata[]
  /** Gets a condition in the filter language. */
  readonly onAdd: (condition: string) => void
}

const comparisons = ['=', '<>', '>=', '<=', 'like', 'login', 'userid', 'empty', 'filled'] as const
type Comparison = (typeof comparisons)[number]

const inputs: Readonly<Partial<Record<FieldKind, InputHTMLAttributes>>> = {
  number: { inputMode: 'decimal' },
  date: { type: 'date' },
  time: { type: 'time', step: 1 },
  datetime: { type: 'datetime-local', step: 1 },
}

/** A condition on one field, by its type. */
export function ConditionBuilder({ fields, onAdd }: ConditionBuilderProps) {
  const usable = fields.filter((field) => field.searchable && !['file', 'json', 'password'].includes(kindOf(field)))
  const [name, setName] = useState(usable[0]?.name ?? '')
  const field = usable.find((one) => one.name === name)
  const [comparison, setComparison] = useState<Comparison>()
  const [value, setValue] = useState('')
  if (!field) return null
  const offered = comparisonsOf(field)
  const chosen = comparison && offered.includes(comparison) ? comparison : (offered[0] as Comparison)
  const codes = ['enum', 'list', 'boolean'].includes(kindOf(field)) ? choicesOf(field) : []
  const needsValue = !['login', 'userid', 'empty', 'filled'].includes(chosen)
  const entered = codes.length > 0 && value === '' ? (codes[0]?.[0] ?? '') : value
  return (
    <fieldset class="admin-condition">
      <legend>{t('grantForm.condition')}</legend>
      <label class="field">
        <span>{t('grantForm.field')}</span>
        <select
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setValue('')
          }}
        >
          {usable.map((one) => (
            <option key={one.name} value={one.name}>
              {one.label || one.name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{t('grantForm.comparison')}</span>
        <select value={chosen} onChange={(event) => setComparison(event.currentTarget.value as Comparison)}>
          {offered.map((one) => (
            <option key={one} value={one}>
              {t(`condition.operator.${one}`)}
            </option>
          ))}
        </select>
      </label>
      {needsValue && (
        <label class="field">
          <span>{t('grantForm.value')}</span>
          {codes.length > 0 ? (
            <select value={entered} onChange={(event) => setValue(event.currentTarget.value)}>
              {codes.map(([code, text]) => (
                <option key={code} value={code}>
                  {text}
                </option>
              ))}
            </select>
          ) : (
            <input
              {...inputs[kindOf(field)]}
              maxLength={200}
              value={value}
              onInput={(event) => setValue(event.currentTarget.value)}
            />
          )}
        </label>
      )}
      <Button
        icon="add"
        disabled={needsValue && entered === ''}
        onClick={() => onAdd(conditionOf(field, chosen, entered))}
      >
        {t('grantForm.addCondition')}
      </Button>
    </fieldset>
  )
}

function comparisonsOf(field: FieldMetadata): readonly Comparison[] {
  if (field.refObject !== null) return field.refObject === 'User' ? ['userid', 'empty', 'filled'] : ['empty', 'filled']
  switch (kindOf(field)) {
    case 'boolean':
      return ['=']
    case 'enum':
    case 'list':
      return ['=', '<>', 'empty', 'filled']
    case 'number':
    case 'date':
    case 'datetime':
    case 'time':
      return ['=', '<>', '>=', '<=', 'empty', 'filled']
    default:
      return ['=', '<>', 'like', 'login', 'empty', 'filled']
  }
}

/** In the filter language. What is not a number goes as it was typed: the service says what is wrong with it. */
export function conditionOf(field: FieldMetadata, comparison: Comparison, value: string): string {
  const { name } = field
  const isBare = ['number', 'boolean'].includes(kindOf(field)) && /^[\w.+-]+$/.test(value)
  const literal = isBare
    ? value
    : `'${value.replace('T', kindOf(field) === 'datetime' ? ' ' : 'T').replaceAll("'", "''")}'`
  switch (comparison) {
    case 'login':
      return `${name} = [LOGIN]`
    case 'userid':
      return `${name} = [USERID]`
    case 'empty':
      return `${name} is null`
    case 'filled':
      return `${name} is not null`
    default:
      return `${name} ${comparison} ${literal}`
  }
}
