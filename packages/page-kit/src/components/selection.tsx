import { useRef, useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'

/** Which rows of a table are chosen. */
export interface Selection {
  readonly selected: ReadonlySet<string>
  /** Chooses or leaves these rows; the last one is where the next range starts. */
  readonly set: (keys: readonly string[], chosen: boolean, last?: string) => void
  readonly clear: () => void
  /** The row that was chosen or left last. */
  readonly anchor: () => string | undefined
}

export function useSelection(): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<string | undefined>(undefined)
  return {
    selected,
    set(keys, chosen, last) {
      anchor.current = last
      setSelected((before) => {
        const after = new Set(before)
        for (const key of keys)
          if (chosen) after.add(key)
          else after.delete(key)
        return after
      })
    },
    clear: () => setSelected(new Set()),
    anchor: () => anchor.current,
  }
}

interface RowsProps {
  readonly selection: Selection
  /** Keys of all rows, in the order they are shown. */
  readonly keys: readonly string[]
}

/** Chooses all rows, or none. */
export function SelectAll({ selection, keys }: RowsProps) {
  const chosen = keys.filter((key) => selection.selected.has(key)).length
  const all = chosen > 0 && chosen === keys.length
  return (
    <label class="check">
      <input
        type="checkbox"
        aria-label={t('table.selectAll')}
        checked={all}
        indeterminate={chosen > 0 && !all}
        onChange={() => selection.set(keys, !all)}
      />
    </label>
  )
}

/**
 * Chooses one row. With shift all from the last one on; arrow keys go to the next row, with shift they choose it.
 */
export function SelectRow({ selection, keys, at, name }: RowsProps & { readonly at: number; readonly name: string }) {
  const key = keys[at] as string
  const isSelected = selection.selected.has(key)

  function press(event: MouseEvent): void {
    const from = event.shiftKey ? keys.indexOf(selection.anchor() ?? '') : -1
    const range = from < 0 ? [key] : keys.slice(Math.min(from, at), Math.max(from, at) + 1)
    selection.set(range, !isSelected, key)
  }

  function move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const row = (event.currentTarget as HTMLElement).closest('tr')
    const next = step > 0 ? row?.nextElementSibling : row?.previousElementSibling
    const box = next?.querySelector<HTMLInputElement>('.select input')
    if (!box) return
    box.focus()
    if (event.shiftKey) selection.set([key, keys[at + step] as string], true, keys[at + step])
  }

  return (
    <label class="check">
      <input
        type="checkbox"
        aria-label={t('table.select', { row: name })}
        checked={isSelected}
        onClick={press}
        onKeyDown={move}
      />
    </label>
  )
}
