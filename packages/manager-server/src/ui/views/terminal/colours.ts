import type { ITheme } from '@xterm/xterm'

/** Colours of the page for a terminal in this element; xterm.js makes others readable on them. */
export function coloursOf(element: HTMLElement): ITheme {
  const { backgroundColor: background, color: foreground, caretColor: cursor } = getComputedStyle(element)
  return { background, foreground, cursor, cursorAccent: background, selectionBackground: `${hexOf(cursor)}55` }
}

/** Calls when the page becomes light or dark. @returns ends it */
export function onColours(changed: () => void): () => void {
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  const chosen = new MutationObserver(changed)
  scheme.addEventListener('change', changed)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => {
    scheme.removeEventListener('change', changed)
    chosen.disconnect()
  }
}

function hexOf(colour: string): string {
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(colour)?.slice(1) ?? ['128', '128', '128']
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
}
