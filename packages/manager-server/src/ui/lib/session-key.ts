import { uiPath } from './addresses.js'

const place = `steward.session ${uiPath}`
/** Where the browser keeps nothing. */
let kept: string | undefined

/** The half of a session that this origin alone has; undefined: there is none. The other half is a cookie. */
export function sessionKey(): string | undefined {
  try {
    return localStorage.getItem(place) ?? kept
  } catch {
    return kept
  }
}

/** @param key undefined: forgets it */
export function keepSessionKey(key: string | undefined): void {
  kept = key
  try {
    if (key === undefined) localStorage.removeItem(place)
    else localStorage.setItem(place, key)
  } catch {
    // It lasts as long as this page.
  }
}

/** Another tab signed in or out. */
export function onOtherTab(listener: (key: string | undefined) => void): void {
  globalThis.addEventListener('storage', ({ key, newValue }) => key === place && listener(newValue ?? undefined))
}

/** What requests of the pages prove themselves by; no page of another origin can add them. */
export function pageHeaders(): Readonly<Record<string, string>> {
  const key = sessionKey()
  return { 'X-Manager-Request': 'ui', ...(key !== undefined && { 'X-Manager-Session': key }) }
}
