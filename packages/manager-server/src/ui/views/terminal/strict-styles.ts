/**
 * xterm.js puts rules into `<style>` elements and `style` attributes, which the content security policy forbids. Style
 * sheets and declarations that scripts make are allowed, so it gets elements that turn the one into the other.
 */

/** A document for xterm.js (`documentOverride`), whose spans take a `style` attribute as declarations. */
export function strictDocument(): Document {
  return new Proxy(document, {
    get(target, name) {
      if (name === 'createElement') return createElement
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  })
}

/** Style elements that `work` makes, also by the real document, become style sheets. */
export function withStrictStyles(work: () => void): void {
  document.createElement = createElement
  try {
    work()
  } finally {
    // What is left is that of the prototype.
    Reflect.deleteProperty(document, 'createElement')
  }
}

function createElement(tag: string): HTMLElement {
  if (tag === 'style') return styleElement()
  const element = Document.prototype.createElement.call(document, tag)
  if (tag === 'span')
    element.setAttribute = (name, value) => {
      if (name === 'style') element.style.cssText = value
      else Element.prototype.setAttribute.call(element, name, value)
    }
  return element
}

/** Nothing to see; its text is a style sheet while it is there. */
function styleElement(): HTMLElement {
  const element = Document.prototype.createElement.call(document, 'span')
  const sheet = new CSSStyleSheet()
  element.hidden = true
  document.adoptedStyleSheets.push(sheet)
  Object.defineProperty(element, 'textContent', {
    set(text: string) {
      sheet.replaceSync(text)
    },
  })
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    Element.prototype.remove.call(element)
  }
  return element
}
