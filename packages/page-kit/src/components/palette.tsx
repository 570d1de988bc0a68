import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { t } from '../lib/i18n.js'
import '../styles/palette.css'
import { Icon } from './icon.js'
import { useModal } from './use-modal.js'

export interface PaletteItem {
  readonly id: string
  readonly label: string
  /** What it belongs to, or what it does; at the end of the line. */
  readonly about?: string | undefined
  /** Keys that do the same. */
  readonly keys?: string | undefined
  readonly run: () => void
  /** What Shift and Enter do: its form, where Enter alone runs it. */
  readonly form?: (() => void) | undefined
}

export interface PaletteProps {
  readonly words: string
  readonly onWords: (words: string) => void
  /** Those that fit the words, best first. */
  readonly items: readonly PaletteItem[]
  /** More of them are being looked for. */
  readonly busy?: boolean
  readonly onClose: () => void
}

/** Type, choose with the arrow keys, Enter: one place from which everything can be reached. */
export function Palette({ words, onWords, items, busy = false, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [at, setAt] = useState(0)
  const id = useId()
  const chosen = Math.min(at, items.length - 1)
  useModal(dialog)
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen, items])

  function run(item: PaletteItem | undefined, isShifted: boolean): void {
    if (!item) return
    // Before it runs: what it opens takes the focus.
    onClose()
    if (isShifted && item.form) item.form()
    else item.run()
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && items.length > 0) setAt((chosen + step + items.length) % items.length)
    else if (event.key === 'Enter') run(items[chosen], event.shiftKey)
    else return
    event.preventDefault()
  }

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t('palette.label')}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      <div class="palette-frame">
        <label class="palette-words">
          {busy ? <span class="spinner" aria-hidden="true" /> : <Icon name="search" />}
          <span class="hidden">{t('palette.label')}</span>
          <input
            autofocus
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
            aria-autocomplete="list"
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            placeholder={t('palette.label')}
            value={words}
            onInput={(event) => {
              setAt(0)
              onWords(event.currentTarget.value)
            }}
            onKeyDown={onKeyDown}
          />
        </label>
        <ul role="listbox" id={`${id}-list`} aria-label={t('palette.label')}>
          {items.map((item, index) => (
            <li
              key={item.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              onMouseMove={() => setAt(index)}
              onClick={(event) => run(item, event.shiftKey)}
            >
              <span>{item.label}</span>
              {item.about && <span class="quiet">{item.about}</span>}
              {item.keys && <kbd>{item.keys}</kbd>}
            </li>
          ))}
        </ul>
        <p class="palette-none quiet" role="status">
          {items.length === 0 && !busy ? t('palette.none') : ''}
        </p>
      </div>
    </dialog>
  )
}
