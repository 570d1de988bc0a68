/** The server writes where the pages are into `<base>`. */
const base = new URL(document.baseURI)

/** Path of the pages without a last slash: `/ui`, or `/manager/ui`. */
export const uiPath = base.pathname.replace(/\/$/, '')

/** `demo`, `backups` → `/ui/instances/demo/backups` */
export function pathTo(...parts: readonly string[]): string {
  return `${uiPath}/${parts.map(encodeURIComponent).join('/')}`
}

/** An address of the API. It has no credentials, which a page address may hold: `fetch` would refuse it. */
export function apiAddress(action: string, parameters: ApiParameters = {}): string {
  const url = new URL('../api', `${location.origin}${base.pathname}`)
  url.searchParams.set('action', action)
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  return url.href
}

/** `name`, `param`, `force`, and options as `options[database]`. */
export type ApiParameters = Readonly<Record<string, string | number | boolean | undefined>>
