import type { ComponentChildren } from 'preact'
import '../styles/states.css'
import { Icon } from './icon.js'

export interface NoticeProps {
  readonly tone: 'good' | 'warn' | 'bad'
  /** What happened. */
  readonly title: string
  /** At the end: what to do about it. */
  readonly action?: ComponentChildren
  /** More to know. */
  readonly children?: ComponentChildren
}

/** What happened, in place; a screen reader says it at once. */
export function Notice({ tone, title, action, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={tone === 'good' ? 'check' : 'alert'} />
      <div class="notice-text">
        <p>
          <strong>{title}</strong>
        </p>
        {children}
      </div>
      {action}
    </div>
  )
}
