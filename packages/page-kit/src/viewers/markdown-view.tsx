import { useEffect, useRef } from 'preact/hooks'

export interface MarkdownViewProps {
  readonly markdown: string
  /** What a table is called, for a screen reader. */
  readonly table: string
}

/** Markdown as a page; markup in it is cleaned of everything that runs, loads or sends. */
export function MarkdownView({ markdown, table }: MarkdownViewProps) {
  const place = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const ended = new AbortController()
    if (place.current) void fill(place.current, markdown, table, ended.signal)
    return () => ended.abort()
  }, [markdown])

  return <div ref={place} class="markdown" />
}

async function fill(place: HTMLElement, markdown: string, table: string, signal: AbortSignal): Promise<void> {
  try {
    const [{ marked }, { cleanFragment, followLink }] = await Promise.all([import('marked'), import('./sanitize.js')])
    if (signal.aborted) return
    place.replaceChildren(cleanFragment(marked.parse(markdown, { async: false })))
    nameHeadings(place)
    for (const one of place.querySelectorAll('table')) wrapTable(one, table)
    place.addEventListener('click', (event) => followLink(event, place), { signal })
  } catch {
    // Without a connection, as it was written.
    place.textContent = markdown
  }
}

/** Gives headings the ids that links to them expect: lower case, `-` for spaces. */
function nameHeadings(root: Element): void {
  for (const heading of root.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const name = (heading.textContent ?? '').trim().toLowerCase()
    heading.id = `user-content-${name.replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')}`
  }
}

/** Wide tables scroll by themselves, with the keyboard too. */
function wrapTable(table: HTMLTableElement, name: string): void {
  const group = document.createElement('div')
  group.className = 'scroll'
  group.tabIndex = 0
  group.setAttribute('role', 'group')
  group.setAttribute('aria-label', name)
  table.replaceWith(group)
  group.append(table)
}
