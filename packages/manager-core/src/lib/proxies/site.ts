/** What the reverse proxy is to answer for one host, whatever its product. Texts were checked: they need no quoting. */
export interface Site {
  /** In lower case; also an address. */
  readonly host: string
  /** Undefined: no HTTPS. */
  readonly tls: SiteTls | undefined
  /** What HTTP does: serve, go over to HTTPS (308), or refuse because only HTTPS is wanted and there is no certificate. */
  readonly http: 'serve' | 'redirect' | 'refuse'
  /** PEM of authorities whose client certificates are passed to the manager; undefined: none are asked for. */
  readonly clientAuthorities: string | undefined
  /** Shorter paths first. */
  readonly places: readonly Place[]
}

export interface SiteTls {
  /** Hash of `certificate`: sites may have the same one. */
  readonly hash: string
  /** PEM: the certificate, followed by those of its authorities. */
  readonly certificate: string
  /** Absolute path. */
  readonly keyFile: string
  /** Hash of the key's content, so that a new key in the same file is noticed. */
  readonly keyHash: string
}

/** All that is below a path of a site, and who answers there. */
export interface Place {
  /** Empty, or `/path` without a last slash. */
  readonly path: string
  /** Absent: nothing of the instance listens, so that the proxy itself answers 503. */
  readonly upstream?: Upstream
  /**
   * Who passes requests on to `upstream`, and wakes it: it knows the instance by the header `wakerHeader`. Where the product
   * can, requests go to `upstream` itself when nothing listens. Absent: requests go there straight away.
   */
  readonly waker?: Upstream
  /** Absent: the manager itself, which gets paths as they are; instances get them without `path`. */
  readonly instance?: { readonly id: string; readonly name: string }
  /** Path below which the instance answers itself, `/name`, and makes its links: in place of `path`. Absent: its root. */
  readonly context?: string
  /** Further lines by an operator. */
  readonly snippet?: Snippet
}

/** Gives the waker the id of the instance that a request is for. */
export const wakerHeader = 'X-Steward-Instance'

/** Address without brackets. */
export interface Upstream {
  readonly host: string
  readonly port: number
  /** Path of a Unix socket where the same program answers: in a folder where no other user can take its place. */
  readonly socket?: string
}

export interface Snippet {
  /** Absolute path of the operator's file. */
  readonly file: string
  readonly text: string
}

/** What is published, as data: the same desired state gives the same. */
export interface Publication {
  readonly sites: readonly Site[]
  readonly manager: Upstream
  readonly httpPort: number
  readonly httpsPort: number
  /** Strict-Transport-Security is sent. */
  readonly hsts: boolean
}

/** `127.0.0.1:8000`, `[::1]:8000` */
export function authorityOf({ host, port }: Upstream): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
