import { t } from '../lib/i18n.js'
import '../styles/panel.css'

export interface SwitchProps {
  readonly label: string
  /** What it means when it is on. */
  readonly about: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
  /** It may not be changed, or it is being changed. */
  readonly disabled?: boolean
}

/** Something that is on or off; it is changed at once. */
export function Switch({ label, about, on, onChange, disabled = false }: SwitchProps) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={on}
      aria-disabled={disabled}
      onClick={() => disabled || onChange(!on)}
    >
      <span>{label}</span>
      <small>{about}</small>
      <span class="switch-state" aria-hidden="true">
        {t(on ? 'yes' : 'no')}
        <span class="switch-track" />
      </span>
    </button>
  )
}
