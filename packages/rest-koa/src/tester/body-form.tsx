import type { FieldMetadata } from '@steward/rest-core'
import { useState } from 'preact/hooks'
import { FieldControl } from './field-control.js'
import { t } from './i18n.js'
import { textOf, valueOf, writeForm } from './form-body.js'

/** Mistakes that the answer lists, by field. */
export type Mistakes = Readonly<Record<string, string>>

/** A control for each field of a body. */
export function BodyForm(props: {
  fields: readonly FieldMetadata[]
  values: Readonly<Record<string, unknown>>
  mistakes: Mistakes
  /** A new record needs its required fields; an update, only what it changes. */
  isNew: boolean
  onBody: (body: string) => void
}) {
  const { fields, values, mistakes, isNew, onBody } = props
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const put = (field: FieldMetadata, text: string): void => {
    setTyped({ ...typed, [field.name]: text })
    onBody(writeForm({ ...values, [field.name]: valueOf(field, text) }))
  }
  return (
    <>
      <p class="field-about">
        {t('body.leftOut')}
        {!isNew && ` ${t('body.toEmpty')}`}
      </p>
      {fields.map((field) => {
        const { name, required, defaultValue } = field
        const value = values[name]
        const text = typed[name] ?? ''
        // What is typed stays as it is while it means the same: "1.", "a, ".
        const isTyped = JSON.stringify(valueOf(field, text)) === JSON.stringify(value)
        return (
          <FieldControl
            key={name}
            field={field}
            required={isNew && required && defaultValue === null}
            value={isTyped ? text : (textOf(field, value) ?? '')}
            problem={mistakes[name]}
            onInput={(entered) => put(field, entered)}
          />
        )
      })}
    </>
  )
}
