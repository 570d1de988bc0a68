import { useEffect, useRef } from 'preact/hooks'

/**
 * A document as a browser shows it, in a frame where no script can run (`sandbox` without `allow-scripts`); being of this
 * origin lets the page fill it, and give it the document's styles in the way that the content security policy allows.
 */
export function HtmlView({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)

  useEffect(() => {
    const ended = new AbortController()
    if (frame.current) void fill(frame.current, html, ended.signal)
    return () => ended.abort()
  }, [html])

  // Links open in new tabs, which are pages like any other.
  const sandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox'
  return <iframe ref={frame} class="html" sandbox={sandbox} title={title} />
}

async function fill(element: HTMLIFrameElement, html: string, signal: AbortSignal): Promise<void> {
  const { cleanDocument, followLink, styleAttribute } = await import('./sanitize.js')
  const inner = element.contentDocument
  if (signal.aborted || !inner) return
  const { root, styles } = cleanDocument(html)
  inner.replaceChild(inner.adoptNode(root), inner.documentElement)
  applyStyles(inner, styles, styleAttribute)
  // A page that knows no dark is made for paper; another takes the user's preference.
  const { colorScheme } = (inner.defaultView as Window).getComputedStyle(inner.documentElement)
  element.classList.toggle('adapts', colorScheme.includes('dark'))
  inner.addEventListener('click', (event) => followLink(event, inner), { signal })
}

function applyStyles(inner: Document, styles: readonly string[], attribute: string): void {
  const { CSSStyleSheet: Sheet } = inner.defaultView as Window & typeof globalThis
  inner.adoptedStyleSheets = styles.map((text) => {
    const sheet = new Sheet()
    // What would be loaded is refused by the policy; it need not be asked for.
    sheet.replaceSync(withoutAddresses(text))
    return sheet
  })
  for (const element of inner.querySelectorAll<HTMLElement>(`[${attribute}]`)) {
    element.style.cssText = withoutAddresses(element.getAttribute(attribute) ?? '')
    element.removeAttribute(attribute)
  }
}

function withoutAddresses(css: string): string {
  return css.replace(/@import[^;]*;?/gi, '').replace(/url\(\s*(?!["']?data:)[^)]*\)/gi, 'none')
}
