import type { ComponentChildren } from 'preact'
import { t } from '../lib/i18n.js'
import '../styles/toolbar.css'
import { Icon } from './icon.js'

/** Search and filters above a list. */
export function Toolbar({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="toolbar" role="search" aria-label={t('toolbar.label')}>
      {children}
    </div>
  )
}

export interface SearchProps {
  /** What is searched. */
  readonly label: string
  readonly value: string
  /** Called with each letter. */
  readonly onSearch: (text: string) => void
}

export function Search({ label, value, onSearch }: SearchProps) {
  return (
    <label class="search">
      <span class="hidden">{label}</span>
      <Icon name="search" />
      <input
        type="search"
        value={value}
        placeholder={label}
        maxLength={200}
        spellcheck={false}
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
    </label>
  )
}

export interface ChoiceProps {
  readonly name: string
  /** What stands for no choice. */
  readonly any: string
  readonly value: string
  readonly values: readonly (readonly [value: string, text: string])[]
  readonly onChoose: (value: string) => void
}

/** A filter: one of several values, or any. */
export function Choice({ name, any, value, values, onChoose }: ChoiceProps) {
  // One of the address that nothing has now is shown all the same.
  const all = value === '' || values.some(([one]) => one === value) ? values : [...values, [value, value] as const]
  return (
    <select
      aria-label={name}
      class={value === '' ? undefined : 'active'}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">{any}</option>
      {all.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}
