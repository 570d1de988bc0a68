/** Where the page finds its service. */
export interface Settings {
  readonly title: string
  /** Base address of the service, without a `/` at the end. */
  readonly rest: string
  /** Absent: there are no tokens. */
  readonly login?: string
  readonly logout?: string
  readonly level: string
}

/** What the server wrote into the attributes of the document's body; addresses are relative to the page's folder. */
export function readSettings({ dataset }: HTMLElement, pageAddress: string): Settings {
  const folder = new URL(dataset['folder'] ?? './', withoutQuery(pageAddress))
  const absolute = (address: string) => new URL(address, folder).href.replace(/\/$/, '')
  const login = dataset['login'] === undefined ? undefined : absolute(dataset['login'])
  return {
    title: dataset['title'] ?? '',
    rest: absolute(dataset['rest'] ?? '../rest'),
    level: dataset['level'] ?? '5.1',
    ...(login !== undefined && { login, logout: login.replace(/[^/]*$/, 'logout') }),
  }
}

function withoutQuery(address: string): string {
  return address.replace(/[?#].*$/, '')
}
