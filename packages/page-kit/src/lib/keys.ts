/** Whether keys are text where they are pressed. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select') !== null
}

/** Ctrl K, or ⌘ K. */
export function isPaletteKey({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey)
}

/** `/`: the search of the view. @returns whether there is one */
export function focusSearch(): boolean {
  const search = document.querySelector<HTMLElement>('main input[type=search]')
  search?.focus()
  return search !== null
}

/** `j` and `k` go to the next and the previous row of a list, `x` selects the row. @returns whether it was one of them */
export function moveRow(key: string): boolean {
  const rows = [...document.querySelectorAll('main tbody tr')].filter((row) => row.querySelector('a'))
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  if (key === 'x' && at >= 0) rows[at]?.querySelector<HTMLElement>('input[type=checkbox]')?.click()
  else if (key === 'j') rows[at + 1]?.querySelector('a')?.focus()
  else if (key === 'k') rows[Math.max(at - 1, 0)]?.querySelector('a')?.focus()
  else return false
  return rows.length > 0
}
