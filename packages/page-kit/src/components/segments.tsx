import { useId } from 'preact/hooks'
import '../styles/segments.css'

export interface SegmentsProps<Value extends string> {
  /** What is chosen. */
  readonly label: string
  /** The label is for a screen reader only. */
  readonly labelHidden?: boolean
  readonly value: Value
  readonly values: readonly (readonly [value: Value, text: string])[]
  readonly onChoose: (value: Value) => void
}

/** One of a few values, all of them in sight. */
export function Segments<Value extends string>({ label, labelHidden = false, ...rest }: SegmentsProps<Value>) {
  const { value, values, onChoose } = rest
  const name = useId()
  return (
    <fieldset class="segments">
      <legend class={labelHidden ? 'hidden' : undefined}>{label}</legend>
      <div>
        {values.map(([one, text]) => (
          <label key={one}>
            <input type="radio" name={name} value={one} checked={one === value} onChange={() => onChoose(one)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
