import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Common {
  readonly label: string
  readonly hint?: string | undefined
  readonly required?: boolean
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
  children,
}: {
  id: string
  label: string
  hint?: string | undefined
  required?: boolean | undefined
  children: ComponentChildren
}) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required && <span class="required"> (required)</span>}
      </label>
      {children}
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  )
}

export interface TextFieldProps extends Common {
  readonly type?: 'text' | 'password'
  readonly autocomplete?: string
  readonly placeholder?: string
  readonly suggestions?: readonly string[]
}

export function TextField(props: TextFieldProps) {
  const { label, hint, required, value, onInput, name, type = 'text', autocomplete = 'off', suggestions = [] } = props
  const id = useId()
  // Apart, because types of inputs depend on each other.
  const kind: object = { type, ...(suggestions.length > 0 && { list: `${id}-list` }) }
  return (
    <Labelled id={id} label={label} hint={hint} required={required}>
      <input
        id={id}
        name={name}
        {...kind}
        value={value}
        required={required}
        autocomplete={autocomplete}
        autocapitalize="off"
        spellcheck={false}
        placeholder={props.placeholder}
        aria-describedby={hint && `${id}-hint`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
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
  value,
  onInput,
  name,
  choices,
}: Common & { readonly choices: readonly Choice[] }) {
  const id = useId()
  const groups = [...new Set(choices.map(({ group }) => group))]
  return (
    <Labelled id={id} label={label} hint={hint} required={required}>
      <select
        id={id}
        name={name}
        value={value}
        required={required}
        aria-describedby={hint && `${id}-hint`}
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
