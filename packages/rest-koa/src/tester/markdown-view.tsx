import { marked } from 'marked'
import { useEffect, useRef } from 'preact/hooks'
import { cleanFragment, followLink } from './sanitize.js'

/** Markdown as a page; markup in it is cleaned of everything that runs, loads or sends. */
export function MarkdownView({ markdown }: { markdown: string }) {
  const place = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const div = place.current as HTMLDivElement
    div.replaceChildren(cleanFragment(marked.parse(markdown, { async: false })))
    nameHeadings(div)
    for (const table of div.querySelectorAll('table')) wrapTable(table)
    const listener = (event: Event) => followLink(event, div)
    div.addEventListener('click', listener)
    return () => div.removeEventListener('click', listener)
  }, [markdown])

  return <div ref={place} class="markdown" />
}

/** Gives headings the ids that links to them expect: lower case, `-` for spaces. */
function nameHeadings(root: Element): void {
  for (const heading of root.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const name = (heading.textContent ?? '').trim().toLowerCase()
    heading.id = `user-content-${name.replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')}`
  }
}

/** Wide tables scroll by themselves, with the keyboard too. */
function wrapTable(table: HTMLTableElement): void {
  const group = document.createElement('div')
  group.className = 'scroll'
  group.tabIndex = 0
  group.setAttribute('role', 'group')
  group.setAttribute('aria-label', 'Table')
  table.replaceWith(group)
  group.append(table)
}
