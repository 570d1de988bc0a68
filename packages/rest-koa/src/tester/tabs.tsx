import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

export interface Tab {
  readonly id: string
  readonly label: string
  readonly show: () => ComponentChildren
}

/** Views of the same thing, one at a time; arrow keys move between them. The chosen one is kept while it is there. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [chosen, setChosen] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const prefix = useId()
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0]
  if (!current) return null

  function move(event: KeyboardEvent): void {
    const at = tabs.indexOf(current as Tab)
    const targets: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }
    const target = targets[event.key]
    const next = target === undefined ? undefined : tabs.at(target % tabs.length)
    if (!next) return
    event.preventDefault()
    setChosen(next.id)
    list.current?.querySelector<HTMLElement>(`[data-tab=${next.id}]`)?.focus()
  }

  return (
    <div class="tabs">
      <div ref={list} role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, label: text }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${prefix}-${id}`}
            data-tab={id}
            aria-selected={id === current.id}
            aria-controls={`${prefix}-panel`}
            tabIndex={id === current.id ? 0 : -1}
            onClick={() => setChosen(id)}
          >
            {text}
          </button>
        ))}
      </div>
      <div id={`${prefix}-panel`} role="tabpanel" aria-labelledby={`${prefix}-${current.id}`} tabIndex={0}>
        {current.show()}
      </div>
    </div>
  )
}
