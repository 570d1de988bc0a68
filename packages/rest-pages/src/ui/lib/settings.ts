/** What the server wrote into the page. */
const { title = '', rest = '', login = '', password = '', tester = '' } = document.body.dataset

/** The folder of the pages. The server writes it relative to the first address, which changes with each view. */
const folder = new URL(document.baseURI)
document.querySelector('base')?.setAttribute('href', folder.pathname)

/** Without credentials, which the address of a page may hold: `fetch` would refuse them. */
const absolute = (address: string) => new URL(address, `${location.origin}${folder.pathname}`).href

export const settings = {
  title,
  rest: absolute(rest),
  /** Whether people sign in on these pages. */
  hasSignIn: login === 'true',
  /** Whether they change their password here. */
  changesPassword: password === 'true',
  /** Address of the page to test requests; empty: there is none. */
  tester: tester && absolute(tester),
}

/** Path of the pages without a last slash: `/ui`. */
export const uiPath = folder.pathname.replace(/\/$/, '')

const newPart = '_new'

/** `Movie`, `12` → `/ui/Movie/12`; what starts with a bare `_` is the pages' own. */
export function pathTo(first: string, ...parts: readonly string[]): string {
  const later = parts.map((part) => encodeURIComponent(part).replace(/^_/, '%5F'))
  return [uiPath, encodeURIComponent(first), ...later].join('/')
}

/** The form of a new record: `/ui/Movie/_new`. */
export function pathToNew(object: string): string {
  return `${pathTo(object)}/${newPart}`
}

/** @param url as it is in the address bar */
export function isPathToNew(url: string): boolean {
  return url.replace(/[?#].*/, '').endsWith(`/${newPart}`)
}
