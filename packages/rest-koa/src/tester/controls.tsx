import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { t } from './i18n.js'

export interface Common {
  readonly label: string
  readonly hint?: string | undefined
  readonly required?: boolean
  /** What is wrong with the value. */
  readonly problem?: string | undefined
  readonly value: string
  readonly onInput: (value: string) => void
  /** Name for tests and for bringing the focus here. */
  readonly name?: string | undefined
}

/** A control with its label above and its hint below. */
function Labelled({
  id,
  label,
  hint,
  required,
  problem,
  children,
}: {
  id: string
  label: string
  hint?: string | undefined
  required?: boolean | undefined
  problem?: string | undefined
  children: ComponentChildren
}) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required && <span class="field-optional"> {t('required')}</span>}
      </label>
      {children}
      {problem && (
        <small id={`${id}-problem`} class="field-problem">
          {problem}
        </small>
      )}
      {hint && (
        <small id={`${id}-hint`} class="field-about">
          {hint}
        </small>
      )}
    </div>
  )
}

/** What describes a control, and whether its value is wrong. */
function described(id: string, { hint, problem }: Pick<Common, 'hint' | 'problem'>) {
  const ids = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return { 'aria-describedby': ids || undefined, 'aria-invalid': problem ? true : undefined }
}

export interface TextFieldProps extends Common {
  readonly type?: 'text' | 'password' | 'date' | 'datetime-local' | 'time'
  /** Seconds between the values of a time. */
  readonly step?: number
  readonly autocomplete?: string
  readonly placeholder?: string
  readonly suggestions?: readonly Suggestion[]
  /** Several lines. */
  readonly rows?: number
}

/** A value to choose, with what it means. */
export interface Suggestion {
  readonly value: string
  readonly label?: string
}

export function TextField(props: TextFieldProps) {
  const { label, hint, required, problem, value, onInput, name, rows, suggestions = [] } = props
  const { type = 'text', autocomplete = 'off' } = props
  const id = useId()
  // Apart, because types of inputs depend on each other.
  const kind: object = { type, step: props.step, ...(suggestions.length > 0 && { list: `${id}-list` }) }
  const common = {
    id,
    name,
    value,
    required,
    autocomplete,
    autocapitalize: 'off',
    spellcheck: false,
    placeholder: props.placeholder,
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
    ...described(id, props),
  } as const
  return (
    <Labelled id={id} label={label} hint={hint} required={required} problem={problem}>
      {rows === undefined ? <input {...kind} {...common} /> : <textarea rows={rows} {...common} />}
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map(({ value: one, label: text }) => (
            <option key={one} value={one} label={text} />
          ))}
        </datalist>
      )}
    </Labelled>
  )
}

export interface Choice {
  readonly value: string
  readonly label: string
  readonly group?: string
}

export function SelectField({
  label,
  hint,
  required,
  problem,
  value,
  onInput,
  name,
  choices,
}: Common & { readonly choices: readonly Choice[] }) {
  const id = useId()
  const groups = [...new Set(choices.map(({ group }) => group))]
  return (
    <Labelled id={id} label={label} hint={hint} required={required} problem={problem}>
      <select
        id={id}
        name={name}
        value={value}
        required={required}
        {...described(id, { hint, problem })}
        onChange={(event) => onInput(event.currentTarget.value)}
      >
        {groups.map((group) => {
          const options = choices
            .filter((choice) => choice.group === group)
            .map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))
          return group === undefined ? (
            options
          ) : (
            <optgroup key={group} label={group}>
              {options}
            </optgroup>
          )
        })}
      </select>
    </Labelled>
  )
}

export function Checkbox({
  label,
  checked,
  onChange,
}: {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  return (
    <label class="choice">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}
