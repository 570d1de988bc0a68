import { Tabs as KitTabs } from '@steward/page-kit/tabs'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

export interface Tab {
  readonly id: string
  readonly label: string
  readonly show: () => ComponentChildren
}

/** Views of the same thing, one at a time. The chosen one is kept while it is there. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [chosen, setChosen] = useState('')
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0]
  if (!current) return null
  return (
    <KitTabs label={label} tabs={tabs} selected={current.id} onSelect={setChosen}>
      {current.show()}
    </KitTabs>
  )
}
