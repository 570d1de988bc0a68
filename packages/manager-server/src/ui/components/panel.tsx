import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import '../styles/panel.css'

export interface PanelProps {
  readonly title: string
  /** At the end of the heading's line. */
  readonly actions?: ComponentChildren
  /** It takes the whole width. */
  readonly wide?: boolean
  readonly children: ComponentChildren
}

/** A part of a view with a heading of its own. */
export function Panel({ title, actions, wide = false, children }: PanelProps) {
  const id = useId()
  return (
    <section class={`panel part ${wide ? 'wide' : ''}`} aria-labelledby={id}>
      <header class="part-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}

export interface FactsProps {
  /** Those that are absent are left out. */
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[]
}

/** Names and values. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl class="part-facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== '' && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
