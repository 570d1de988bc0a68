/**
 * xterm.js puts rules into `<style>` elements and `style` attributes, which the content security policy forbids. Style
 * sheets and declarations that scripts make are allowed, so from now on the page makes elements that turn the one into
 * the other. xterm.js can be given another document, but does not use it for everything.
 *
 * @returns ends it; what was made stays as it is
 */
export function makeStrictStyles(): () => void {
  document.createElement = createElement
  return () => {
    // What is left is that of the prototype.
    Reflect.deleteProperty(document, 'createElement')
  }
}

function createElement(tag: string, options?: ElementCreationOptions): HTMLElement {
  if (tag === 'style') return styleElement()
  const element = Document.prototype.createElement.call(document, tag, options)
  if (tag === 'span') element.setAttribute = setAttribute
  return element
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value
  else Element.prototype.setAttribute.call(this, name, value)
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
