import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import '../styles/tabs.css'

export interface Tab {
  readonly id: string
  readonly label: string
}

export interface TabsProps {
  /** What the tabs are of, for a screen reader. */
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly selected: string
  readonly onSelect: (id: string) => void
  /** What the selected tab shows. */
  readonly children: ComponentChildren
}

/** Tabs: arrow keys, Home and End choose, Tab goes to what is shown. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Not scrollIntoView, which would move the page, too.
    const [row, tab] = [list.current, list.current?.querySelector<HTMLElement>('[aria-selected=true]')]
    if (row && tab) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.clientWidth) / 2
  }, [selected])
  const [more, setMore] = useState('')
  useEffect(() => {
    const row = list.current
    if (!row) return
    const look = () => setMore(moreAt(row))
    look()
    const watch = new ResizeObserver(look)
    for (const element of [row, ...row.children]) watch.observe(element)
    return () => watch.disconnect()
  }, [tabs.length])

  function choose(event: KeyboardEvent): void {
    const at = tabs.findIndex((tab) => tab.id === selected)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    const tab = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length]
    if (!tab) return
    event.preventDefault()
    onSelect(tab.id)
    document.getElementById(`${id}-${tab.id}`)?.focus()
  }

  return (
    <>
      <div
        class={`tabs ${more}`}
        role="tablist"
        aria-label={label}
        ref={list}
        onKeyDown={choose}
        onScroll={({ currentTarget }) => setMore(moreAt(currentTarget))}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} tabIndex={0}>
        {children}
      </div>
    </>
  )
}

/** Where tabs are out of sight: there the row fades, so that one sees that it scrolls. */
function moreAt({ scrollLeft, clientWidth, scrollWidth }: Element): string {
  const names = [scrollLeft > 1 && 'more-before', scrollLeft + clientWidth < scrollWidth - 1 && 'more-after']
  return names.filter(Boolean).join(' ')
}
