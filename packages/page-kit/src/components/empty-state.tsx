import type { ComponentChildren } from 'preact'
import '../styles/states.css'
import { Icon, type IconName } from './icon.js'

export interface EmptyStateProps {
  readonly title: string
  readonly icon?: IconName
  /** What it means, and what to do: a text, buttons. */
  readonly children?: ComponentChildren
}

/** Instead of an empty table or view. */
export function EmptyState({ title, icon = 'box', children }: EmptyStateProps) {
  return (
    <div class="empty-state">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}
