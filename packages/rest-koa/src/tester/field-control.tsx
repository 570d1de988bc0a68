import { kindOf } from '@steward/page-kit/field-kinds'
import type { FieldMetadata } from '@steward/rest-core'
import { SelectField, TextField } from './controls.js'
import { t } from './i18n.js'
import { choicesOf, codesOf, named } from './metadata.js'

export interface FieldControlProps {
  readonly field: FieldMetadata
  readonly required: boolean
  readonly value: string
  readonly problem?: string | undefined
  readonly onInput: (value: string) => void
}

/** The control of a parameter or of a field of a record. */
export function FieldControl({ field, required, value, problem, onInput }: FieldControlProps) {
  const { name, label, help, refObject, defaultValue } = field
  const kind = kindOf(field)
  const hint = help || (refObject === null ? undefined : t('form.rowOf', { object: refObject }))
  const common = { label: named(name, label), required, value, onInput, problem, hint }
  const choices = choicesOf(field).map((code) => ({ value: code, label: code }))
  if (choices.length > 0)
    return <SelectField {...common} choices={[{ value: '', label: t('form.notGiven') }, ...choices]} />
  const isList = kind === 'list'
  return (
    <TextField
      {...common}
      {...(isList && !help && { hint: t('form.codes', { codes: codesOf(field).join(', ') }) })}
      {...(kind === 'password' && { type: 'password', autocomplete: 'new-password' })}
      {...((kind === 'long' || kind === 'json') && { rows: 3 })}
      suggestions={isList ? codesOf(field).map((code) => ({ value: code })) : []}
      placeholder={defaultValue === null ? formats[kind] : String(defaultValue)}
    />
  )
}

/** How what has no control of its own is written. */
const formats: Partial<Record<ReturnType<typeof kindOf>, string>> = {
  date: t('form.date'),
  datetime: t('form.datetime'),
  time: t('form.time'),
  json: 'JSON',
}
