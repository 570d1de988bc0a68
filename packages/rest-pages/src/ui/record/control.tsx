import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { kindOf, type FieldKind } from '@steward/page-kit/field-kinds'
import type { InputHTMLAttributes } from 'preact'
import { useId, useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import { filledInBy, isInUtc } from './draft.js'
import { ReferencePicker } from './reference-picker.js'

export interface ControlProps {
  readonly field: FieldMetadata
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** What is wrong with the value. */
  readonly error?: string | undefined
  /** Codes of an enum to choose from. Default: those that are enabled, and the present one. */
  readonly codes?: readonly string[] | undefined
  /** Metadata of the object that has the field: which fields of linked records are shown. */
  readonly metadata?: Pick<ObjectMetadata, 'fields'> | undefined
  /** A reference: what the linked record is called. */
  readonly text?: string | undefined
  /** Nothing is stored yet: what is left empty may be filled in. Default: no. */
  readonly isNew?: boolean
}

const inputs: Readonly<Partial<Record<FieldKind, InputHTMLAttributes>>> = {
  // Not `number`: it would lose what is not one, and digits of long decimals.
  number: { inputMode: 'decimal' },
  date: { type: 'date' },
  time: { type: 'time', step: 1 },
  datetime: { type: 'datetime-local', step: 1 },
  email: { type: 'email' },
  url: { type: 'url' },
  password: { type: 'password', autocomplete: 'new-password' },
}

/** What these inputs of a browser can hold; other values of a database would look empty in them. */
const held: Readonly<Partial<Record<FieldKind, RegExp>>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/,
}

/** Attributes that all controls of a field share. */
export interface Shared {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
  readonly 'aria-required': boolean
}

/** A field of a form by its type, with its label, its help, and what is wrong with it. */
export function Control(props: ControlProps) {
  const { field, label, error, isNew = false } = props
  const id = useId()
  const kind = kindOf(field)
  const filled = isNew ? filledInBy(field) : undefined
  const help = [
    field.help || (isInUtc(field) ? t('record.utc') : ''),
    filled && t('record.filledIn', { value: t(`record.filledIn.${filled}`) }),
  ]
    .filter(Boolean)
    .join(' · ')
  const described = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ')
  const shared: Shared = {
    id,
    'aria-invalid': error !== undefined,
    'aria-describedby': described || undefined,
    'aria-required': field.required,
  }
  const isCheck = kind === 'boolean'
  const name = (
    <>
      {label}
      {field.required && <span aria-hidden="true"> *</span>}
    </>
  )
  return (
    <div class={`field ${isCheck ? 'field-check' : ''} ${kind === 'long' || kind === 'json' ? 'wide' : ''}`}>
      {isCheck && <Input {...props} shared={shared} />}
      {kind === 'list' ? <span id={`${id}-label`}>{name}</span> : <label for={id}>{name}</label>}
      {!isCheck && <Input {...props} shared={shared} />}
      {help && (
        <span class="field-about" id={`${id}-help`}>
          {help}
        </span>
      )}
      {error !== undefined && (
        <span class="field-error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  )
}

function Input({ field, value, onChange, codes, shared, ...rest }: ControlProps & { readonly shared: Shared }) {
  const kind = kindOf(field)
  const [isText] = useState(() => Boolean(value) && held[kind]?.test(String(value)) === false)
  if (field.refObject !== null)
    return <ReferencePicker {...rest} field={field} value={String(value ?? '')} onChange={onChange} shared={shared} />
  const choices = (field.listOfValues ?? []).filter(({ code, enabled }) =>
    codes ? codes.includes(code) : enabled || value === code || (Array.isArray(value) && value.includes(code)),
  )
  switch (kind) {
    case 'boolean':
      return (
        <input
          {...shared}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'enum':
      return (
        <select {...shared} value={String(value)} onChange={(event) => onChange(event.currentTarget.value)}>
          {(!field.required || value === '') && !codes && <option value="">–</option>}
          {choices.map(({ code, value: text }) => (
            <option key={code} value={code}>
              {text}
            </option>
          ))}
        </select>
      )
    case 'list': {
      const chosen = Array.isArray(value) ? value : []
      return (
        <div
          class="record-choices"
          role="group"
          aria-labelledby={`${shared.id}-label`}
          aria-describedby={shared['aria-describedby']}
        >
          {choices.map(({ code, value: text }) => (
            <label key={code} class="field field-check">
              <input
                type="checkbox"
                aria-invalid={shared['aria-invalid']}
                checked={chosen.includes(code)}
                onChange={(event) =>
                  onChange(
                    choices
                      .map((one) => one.code)
                      .filter((one) => (one === code ? event.currentTarget.checked : chosen.includes(one))),
                  )
                }
              />
              <span>{text}</span>
            </label>
          ))}
        </div>
      )
    }
    case 'file':
      return (
        <input
          {...shared}
          type="file"
          accept={field.type === 20 ? 'image/*' : undefined}
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? []
            if (file) void documentOf(file).then(onChange)
          }}
        />
      )
    case 'long':
    case 'json':
      return (
        <textarea
          {...shared}
          rows={4}
          value={String(value ?? '')}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )
    default:
      return (
        <input
          {...shared}
          {...(isText ? {} : inputs[kind])}
          maxLength={kind === 'number' || field.length === 0 ? undefined : field.length}
          value={String(value ?? '')}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )
  }
}

/** A file as the service takes it in a record. */
export function documentOf(file: File): Promise<object> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () =>
      resolve({ name: file.name, mime: file.type, content: String(reader.result).replace(/^.*?,/s, '') }),
    )
    reader.addEventListener('error', () => reject(reader.error as Error))
    reader.readAsDataURL(file)
  })
}
