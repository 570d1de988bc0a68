import { ManagerError } from '../../errors.js'

export const supervisors = ['systemd', 'cron'] as const
export const proxyChoices = ['auto', 'nginx', 'httpd', 'none'] as const

/** What the operator wants of this machine. What they do not say is as the last time, else the default. */
export interface SetupOptions {
  readonly home: string
  /** Name of the service, of its files, and of what setup recorded: one per home. */
  readonly service: string
  /** Account that the manager runs as. */
  readonly user: string
  /** Where the server listens, on this machine only. */
  readonly port: number
  /** Host of the manager; undefined: it is reached from this machine only. */
  readonly domain: string | undefined
  readonly email: string | undefined
  readonly proxy: (typeof proxyChoices)[number]
  /** Certificates: `acme`, a file with its key, or none. */
  readonly https: 'acme' | 'files' | 'none'
  readonly certificate: string | undefined
  readonly key: string | undefined
  readonly supervisor: (typeof supervisors)[number]
}

/** What was said on the command line. */
export interface SetupInput {
  readonly service: string | undefined
  readonly user: string | undefined
  readonly port: number | undefined
  readonly domain: string | undefined
  readonly email: string | undefined
  readonly proxy: SetupOptions['proxy'] | undefined
  readonly certificate: string | undefined
  readonly key: string | undefined
  readonly http: boolean
  readonly supervisor: SetupOptions['supervisor'] | undefined
  /** Folder below which files are written. */
  readonly root: string | undefined
  /** The home that goes, too, when what setup made is taken away. */
  readonly purge: string | undefined
}

/** The manager's account unless `--user` names another one: as root it gives each instance an account of its own. */
export const defaultUser = 'root'
export const defaultPort = 8000
export const defaultService = 'steward'

/** @throws ManagerError ERR_USAGE for what no machine could do */
export function setupOptions(
  input: SetupInput,
  { home, last, supervisor }: { home: string; last: Partial<SetupOptions>; supervisor: SetupOptions['supervisor'] },
): SetupOptions {
  const domain = (input.domain ?? last.domain)?.toLowerCase()
  const email = input.email ?? last.email
  const certificate = input.certificate ?? last.certificate
  const key = input.key ?? last.key
  const options: SetupOptions = {
    home,
    service: serviceOf(input),
    user: input.user ?? last.user ?? defaultUser,
    port: input.port ?? last.port ?? defaultPort,
    domain,
    email,
    proxy: input.proxy ?? last.proxy ?? 'auto',
    https: httpsOf(input, { domain, certificate, last: last.https }),
    certificate,
    key,
    supervisor: input.supervisor ?? last.supervisor ?? supervisor,
  }
  check(options)
  return options
}

/** @throws ManagerError ERR_USAGE */
export function serviceOf(input: SetupInput): string {
  const service = input.service ?? defaultService
  // It becomes the name of files, some of which are ignored when there is a dot in their name.
  if (/^[a-z][a-z0-9-]{0,30}$/.test(service)) return service
  throw usage(`"${service}" cannot be the name of a service.`, 'Use lower-case letters, digits and hyphens.')
}

function httpsOf(
  input: SetupInput,
  {
    domain,
    certificate,
    last,
  }: { domain: string | undefined; certificate: string | undefined; last: SetupOptions['https'] | undefined },
): SetupOptions['https'] {
  if (domain === undefined || input.http) return 'none'
  if (certificate !== undefined) return 'files'
  return last ?? 'acme'
}

function check({ home, user, port, domain, email, https, certificate, key, proxy }: SetupOptions): void {
  if (/[\s"'%$\\;{}#*?[\]]/.test(home) || !home.startsWith('/') || home === '/')
    throw usage(
      `"${home}" cannot be the home of a manager on a server.`,
      'Use an absolute path without spaces and special characters.',
    )
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user))
    throw usage(
      `"${user}" cannot be the name of an account.`,
      'Use lower-case letters, digits, hyphens and underscores.',
    )
  if (port < 1024) throw usage(`Only root can use port ${port}.`, 'Use 1024 or higher.')
  if (
    domain !== undefined &&
    !/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(domain)
  )
    throw usage(`"${domain}" is not the name of a host.`, 'Use a host name only, e.g. apps.example.org.')
  if (domain === undefined && proxy !== 'auto' && proxy !== 'none')
    throw usage(`Publishing through ${proxy} requires a host.`, 'Set it with --domain.')
  if (https === 'acme' && email === undefined)
    throw usage(
      `Certificates for ${domain} require an e-mail address for the authority.`,
      'Set it with --email. To use your own certificate, set --certificate and --key; to use no HTTPS, add --http.',
    )
  if ((certificate === undefined) !== (key === undefined))
    throw usage('A certificate needs its key.', 'Set both --certificate and --key.')
  if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email)) throw usage(`"${email}" is not an e-mail address.`, '')
}

function usage(message: string, help: string): ManagerError {
  return new ManagerError('ERR_USAGE', message, help === '' ? {} : { help })
}
