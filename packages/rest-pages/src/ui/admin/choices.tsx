import { useId } from 'preact/hooks'

export interface ChoicesProps {
  readonly label: string
  readonly help?: string
  readonly values: readonly (readonly [value: string, text: string])[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly error?: string | undefined
}

/** Any of some values, in their order. One that is chosen and no longer offered stays until it is taken off. */
export function Choices({ label, help, values, chosen, onChange, error }: ChoicesProps) {
  const id = useId()
  const gone = chosen.filter((value) => !values.some(([one]) => one === value))
  const all = [...values, ...gone.map((value) => [value, value] as const)]
  return (
    <fieldset class="admin-choices" aria-describedby={error === undefined ? undefined : id}>
      <legend>{label}</legend>
      {help && <p class="field-about">{help}</p>}
      <div class="admin-choices-values">
        {all.map(([value, text]) => (
          <label key={value} class="field field-check">
            <input
              type="checkbox"
              aria-invalid={error !== undefined}
              checked={chosen.includes(value)}
              onChange={(event) => {
                const isOn = event.currentTarget.checked
                onChange(all.map(([one]) => one).filter((one) => (one === value ? isOn : chosen.includes(one))))
              }}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
      {error !== undefined && (
        <span class="field-error" id={id}>
          {error}
        </span>
      )}
    </fieldset>
  )
}
