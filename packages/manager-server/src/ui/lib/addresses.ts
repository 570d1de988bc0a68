/** The server writes where the pages are into `<base>`. */
const base = new URL(document.baseURI)

/** Path of the pages without a last slash: `/ui`, or `/manager/ui`. */
export const uiPath = base.pathname.replace(/\/$/, '')

/** `demo`, `backups` → `/ui/instances/demo/backups` */
export function pathTo(...parts: readonly string[]): string {
  return `${uiPath}/${parts.map(encodeURIComponent).join('/')}`
}

/** Path of the API. */
export const apiPath = new URL('../api', base).pathname

/** Where sessions are opened and ended. */
export const sessionAddress = `${apiPath}/session`

/** The page that asks for the password, and comes back here. */
export function signInAddress(): string {
  return `${pathTo('sign-in')}?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`
}

/** An address of the API. It has no credentials, which a page address may hold: `fetch` would refuse it. */
export function apiAddress(action: string, parameters: ApiParameters = {}): string {
  const url = new URL(`${location.origin}${apiPath}`)
  url.searchParams.set('action', action)
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  return url.href
}

/** `name`, `param`, `force`, and options as `options[database]`. */
export type ApiParameters = Readonly<Record<string, string | number | boolean | undefined>>
