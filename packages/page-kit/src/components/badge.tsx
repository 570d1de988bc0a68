import type { ComponentChildren } from 'preact'
import '../styles/badge.css'

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'neutral'

/** A state in a word and a colour. */
export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}
