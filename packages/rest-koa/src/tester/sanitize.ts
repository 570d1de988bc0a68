import DOMPurify from 'dompurify'

/** Where the style of an element waits until it is set by code, which the content security policy allows. */
export const styleAttribute = 'data-tester-style'

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
}

/** Markup that is safe to put into this page. */
export function cleanFragment(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, { ...common, RETURN_DOM_FRAGMENT: true })
  for (const element of fragment.querySelectorAll(`[${styleAttribute}]`)) element.removeAttribute(styleAttribute)
  return fragment
}

/** A whole document, with its looks apart. */
export function cleanDocument(html: string): CleanDocument {
  const styles: string[] = []
  DOMPurify.addHook('uponSanitizeElement', (node, { tagName }) => {
    if (tagName === 'style') styles.push(node.textContent ?? '')
  })
  DOMPurify.addHook('uponSanitizeAttribute', (element, { attrName, attrValue }) => {
    if (attrName === 'style') element.setAttribute(styleAttribute, attrValue)
  })
  try {
    const root = DOMPurify.sanitize(html, { ...common, WHOLE_DOCUMENT: true, RETURN_DOM: true }) as HTMLElement
    return { root, styles }
  } finally {
    DOMPurify.removeHook('uponSanitizeElement')
    DOMPurify.removeHook('uponSanitizeAttribute')
  }
}

// Pictures from elsewhere would tell others who looks at what, and those of the service would call it.
DOMPurify.addHook('afterSanitizeAttributes', (element) => {
  const source = element.getAttribute('src')
  if (source !== null && !/^data:image\//i.test(source)) element.removeAttribute('src')
  const target = element.getAttribute('href')
  if (target !== null && !/^(?:https?:|mailto:|#)/i.test(target)) element.removeAttribute('href')
})

/** Opens links of foreign markup in new tabs, and those within it in place. Attached to what holds the markup. */
export function followLink(event: Event, root: ParentNode): void {
  const link = (event.target as Element | null)?.closest?.('a[href]')
  if (!link) return
  event.preventDefault()
  const target = link.getAttribute('href') ?? ''
  if (!target.startsWith('#')) return void window.open(target, '_blank', 'noopener,noreferrer')
  const id = decodeURIComponent(target.slice(1))
  const found = ['', 'user-content-'].map((prefix) => root.querySelector(`#${CSS.escape(prefix + id)}`)).find(Boolean)
  found?.scrollIntoView()
}
