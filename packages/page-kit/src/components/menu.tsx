import { useId, useRef, useState } from 'preact/hooks'
import '../styles/menu.css'
import { Button, type ButtonProps } from './button.js'
import { Icon, type IconName } from './icon.js'

export interface MenuItem {
  /** Unique in the menu. */
  readonly id: string
  readonly label: string
  readonly icon?: IconName | undefined
  /** Something is lost by it. */
  readonly danger?: boolean
  /** The menu is closed before, so that a dialog gives the focus back to what opened the menu. */
  readonly onSelect?: () => void
  /** It leads there instead. */
  readonly href?: string
  /** The address is a file, or is shown in another window. */
  readonly target?: 'download' | 'window'
}

export interface MenuProps extends Pick<ButtonProps, 'kind' | 'small' | 'icon' | 'children'> {
  /** What the menu is of, for a screen reader; also the tip of a button without a text. */
  readonly label: string
  /** Items that belong together; a line is drawn between groups, and empty ones are left out. */
  readonly groups: readonly (readonly MenuItem[])[]
}

/** Between the button and the menu, and between the menu and the edge of the window, in pixels. */
const distance = 4

/**
 * A button that opens a menu: arrow keys, Home, End and first letters choose, Enter does it, Escape and Tab close it. It
 * is drawn over everything, so that tables that scroll do not cut it off. Without items there is no button.
 */
export function Menu({ label, groups, kind = 'quiet', small, icon = 'more', children }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLSpanElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const shown = groups.filter((group) => group.length > 0)
  if (shown.length === 0) return null

  const trigger = () => button.current?.querySelector('button')
  const close = () => {
    list.current?.hidePopover()
    trigger()?.focus()
  }

  return (
    <span
      class="menu-of"
      ref={button}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' || event.target !== trigger()) return
        event.preventDefault()
        list.current?.showPopover()
      }}
    >
      <Button
        kind={kind}
        small={small ?? false}
        icon={icon}
        label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popovertarget={id}
      >
        {children}
      </Button>
      <div
        ref={list}
        class="menu-list"
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        onBeforeToggle={({ newState }) => setOpen(newState === 'open')}
        onToggle={({ newState, currentTarget }) => {
          const from = trigger()
          if (newState !== 'open' || !from) return currentTarget.removeAttribute('style')
          place(currentTarget, from.getBoundingClientRect())
          itemsOf(currentTarget)[0]?.focus()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' || event.key === 'Tab') {
            // Tab continues from the button.
            if (event.key === 'Escape') event.preventDefault()
            event.stopPropagation()
            return close()
          }
          const next = chosenBy(event, itemsOf(event.currentTarget))
          if (!next) return
          event.preventDefault()
          next.focus()
        }}
      >
        {isOpen &&
          shown.map((group) => (
            <div key={group[0]?.id} role="group">
              {group.map((item) => (
                <Item key={item.id} item={item} onClose={close} />
              ))}
            </div>
          ))}
      </div>
    </span>
  )
}

function Item({ item, onClose }: { readonly item: MenuItem; readonly onClose: () => void }) {
  const { label, icon, danger = false, onSelect, href, target } = item
  const common = {
    role: 'menuitem',
    tabIndex: -1,
    class: `menu-item ${danger ? 'danger' : ''}`,
    onClick: () => {
      onClose()
      onSelect?.()
    },
  } as const
  const content = (
    <>
      {icon && <Icon name={icon} />}
      <span>{label}</span>
    </>
  )
  return href === undefined ? (
    <button type="button" {...common}>
      {content}
    </button>
  ) : (
    <a
      href={href}
      {...(target !== undefined && { target: '_blank', rel: 'noreferrer' })}
      {...(target === 'download' && { download: true })}
      {...common}
    >
      {content}
    </a>
  )
}

function itemsOf(list: Element): readonly HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role=menuitem]')]
}

/** Below the button and within the window, above it where there is more room. */
function place(list: HTMLElement, from: DOMRect): void {
  const { documentElement: page } = document
  const { offsetWidth: width, scrollHeight: height, style } = list
  const below = page.clientHeight - from.bottom - 2 * distance
  const above = from.top - 2 * distance
  const isBelow = height <= below || below >= above
  style.maxHeight = `${isBelow ? below : above}px`
  style.top = `${isBelow ? from.bottom + distance : Math.max(distance, from.top - distance - Math.min(height, above))}px`
  // Its end is where that of the button is, unless there is no room.
  style.left = `${Math.max(distance, Math.min(from.right - width, page.clientWidth - width - distance))}px`
}

/** The item that a key leads to. */
function chosenBy({ key, target }: KeyboardEvent, items: readonly HTMLElement[]): HTMLElement | undefined {
  const at = items.indexOf(target as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key]
  if (to !== undefined) return items.at(to % items.length)
  if (key.length !== 1 || key === ' ') return undefined
  const begins = (item: HTMLElement) => item.textContent.toLowerCase().startsWith(key.toLowerCase())
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(begins)
}
