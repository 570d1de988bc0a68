import DOMPurify from 'dompurify'

/** Where the style of an element waits until it is set by code, which the content security policy allows. */
export const styleAttribute = 'data-foreign-style'

export interface CleanDocument {
  /** The document's root element, without anything that runs, loads or sends. */
  readonly root: HTMLElement
  /** Texts of its style elements. */
  readonly styles: readonly string[]
}

const common = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ['form', 'input', 'textarea', 'select', 'button', 'audio', 'video', 'source', 'track', 'style', 'link'],
  FORBID_ATTR: ['style', 'srcset', 'background', 'poster', 'ping', 'target', 'action', 'formaction'],
  SANITIZE_NAMED_PROPS: true,
  ALLOW_DATA_ATTR: false,
  ADD_ATTR: [styleAttribute],
  // Styles look like addresses: `color:red`.
  ADD_URI_SAFE_ATTR: [styleAttribute],
}

/** Markup that is safe to put into this page; it looks as the page does. */
export function cleanFragment(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(withoutStyles(html), { ...common, RETURN_DOM_FRAGMENT: true })
  for (const element of fragment.querySelectorAll(`[${styleAttribute}]`)) element.removeAttribute(styleAttribute)
  return fragment
}

/** A whole document, with its looks apart. */
export function cleanDocument(html: string): CleanDocument {
  const styles: string[] = []
  DOMPurify.addHook('uponSanitizeElement', (node, { tagName }) => {
    if (tagName === 'xmp' && (node as Element).hasAttribute(styleAttribute)) styles.push(node.textContent ?? '')
  })
  try {
    const options = { ...common, WHOLE_DOCUMENT: true, RETURN_DOM: true } as const
    return { root: DOMPurify.sanitize(withoutStyles(html), options) as HTMLElement, styles }
  } finally {
    DOMPurify.removeHook('uponSanitizeElement')
  }
}

/**
 * Renames attributes and elements that style, so that none of them is refused, and reported in the console, by the content
 * security policy while the markup is parsed: `xmp` is another element whose content is taken as it stands. What this does
 * not find is refused.
 */
function withoutStyles(html: string): string {
  return html
    .replace(/(<[a-z][^<>]*?\s)style(?=\s*=)/gi, `$1${styleAttribute}`)
    .replace(/<style(?=[\s>])/gi, `<xmp ${styleAttribute}`)
    .replace(/<\/style(?=[\s>])/gi, '</xmp')
}

DOMPurify.addHook('afterSanitizeAttributes', (element) => {
  const source = element.getAttribute('src')
  // Pictures from elsewhere would reveal to others who looks at what, and those of the service would call it.
  if (source !== null && !/^data:image\//i.test(source)) element.removeAttribute('src')
  const target = element.getAttribute('href')
  if (target === null || target.startsWith('#')) return
  if (/^(?:https?|mailto):/i.test(target)) {
    element.setAttribute('target', '_blank')
    element.setAttribute('rel', 'noopener noreferrer')
  } else element.removeAttribute('href')
})

/** Follows a link within foreign markup in place, whose address the browser would take for one of this page. */
export function followLink(event: Event, root: ParentNode): void {
  const target = (event.target as Element | null)?.closest?.('a[href]')?.getAttribute('href')
  if (!target?.startsWith('#')) return
  event.preventDefault()
  const id = CSS.escape(decodeId(target.slice(1)))
  root.querySelector(`#${id}, #user-content-${id}`)?.scrollIntoView()
}

function decodeId(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
