import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { product } from '../lib/product.js'
import { useStore } from '../lib/store.js'
import '../styles/view.css'

export interface ViewProps {
  /** Heading, and the title of the window. */
  readonly title: string
  /** Things that wait for a person, before the title of the window. */
  readonly count?: number
  /** Beside the heading: a badge, a count. */
  readonly aside?: ComponentChildren
  /** Above the heading: the way back. */
  readonly above?: ComponentChildren
  /** At the end of the heading's line: buttons. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** The frame of a view: heading with what can be done, and the title of the window. */
export function View({ title, count = 0, aside, above, actions, children }: ViewProps) {
  const name = useStore(product)
  useEffect(() => {
    const text = name === '' ? title : `${title} · ${name}`
    document.title = count > 0 ? `(${count}) ${text}` : text
  }, [title, name, count])
  return (
    <div class="view">
      {above !== undefined && <div class="view-above">{above}</div>}
      <div class="view-head">
        <h1>{title}</h1>
        {aside !== undefined && <div class="view-aside">{aside}</div>}
        {actions !== undefined && <div class="view-actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}
