import { useEffect, useRef } from 'preact/hooks'
import { cleanDocument, followLink, styleAttribute } from './sanitize.js'

/**
 * A document as a browser shows it, in a frame where no script can run (`sandbox` without `allow-scripts`); being of this
 * origin lets the page fill it, and give it the document's styles in the way that the content security policy allows.
 */
export function HtmlView({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)

  useEffect(() => {
    const element = frame.current
    const inner = element?.contentDocument
    if (!inner) return
    const { root, styles } = cleanDocument(html)
    inner.replaceChild(inner.adoptNode(root), inner.documentElement)
    applyStyles(inner, styles)
    // A page that knows no dark is made for paper; another takes the user's preference.
    const { colorScheme } = (inner.defaultView as Window).getComputedStyle(inner.documentElement)
    element.classList.toggle('adapts', colorScheme.includes('dark'))
    const listener = (event: Event) => followLink(event, inner)
    inner.addEventListener('click', listener)
    return () => inner.removeEventListener('click', listener)
  }, [html])

  // Links open in new tabs, which are pages like any other.
  const sandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox'
  return <iframe ref={frame} class="html" sandbox={sandbox} title="The answer as a page" />
}

function applyStyles(inner: Document, styles: readonly string[]): void {
  const { CSSStyleSheet: Sheet } = inner.defaultView as Window & typeof globalThis
  inner.adoptedStyleSheets = styles.map((text) => {
    const sheet = new Sheet()
    // What would be loaded is refused by the policy; it need not be asked for.
    sheet.replaceSync(withoutAddresses(text))
    return sheet
  })
  for (const element of inner.querySelectorAll<HTMLElement>(`[${styleAttribute}]`)) {
    element.style.cssText = withoutAddresses(element.getAttribute(styleAttribute) ?? '')
    element.removeAttribute(styleAttribute)
  }
}

function withoutAddresses(css: string): string {
  return css.replace(/@import[^;]*;?/gi, '').replace(/url\(\s*(?!["']?data:)[^)]*\)/gi, 'none')
}
