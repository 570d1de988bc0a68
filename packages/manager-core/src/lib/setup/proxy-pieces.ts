import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SetupOptions } from './options.js'
import type { Piece } from './piece.js'

/** A reverse proxy as Debian and Ubuntu install it. */
export interface ProxyProgram {
  readonly type: 'nginx' | 'httpd'
  /** Absolute. */
  readonly program: string
  readonly mainFile: string
  /** Unit of systemd. */
  readonly unit: string
  readonly test: readonly string[]
  readonly reload: readonly string[]
}

export const proxyPrograms: readonly ProxyProgram[] = [
  {
    type: 'nginx',
    program: '/usr/sbin/nginx',
    mainFile: '/etc/nginx/nginx.conf',
    unit: 'nginx',
    test: ['-t', '-q'],
    reload: ['-s', 'reload'],
  },
  {
    type: 'httpd',
    program: '/usr/sbin/apache2ctl',
    mainFile: '/etc/apache2/apache2.conf',
    unit: 'apache2',
    test: ['-t'],
    reload: ['-k', 'graceful'],
  },
]

/** Modules of httpd that what the manager writes needs. */
const modules = [
  'headers',
  'http2',
  'mime',
  'proxy',
  'proxy_http',
  'rewrite',
  'alias',
  'setenvif',
  'socache_shmcb',
  'ssl',
]

/** What makes the reverse proxy read what the manager publishes. @param root folder that stands for `/` */
export function proxyPieces(proxy: ProxyProgram, { home, service }: SetupOptions, root: string): readonly Piece[] {
  const include = (directive: string, end: string) =>
    `# Written by "manager setup": what the instances manager publishes.\n${directive} ${home}/proxy/live/*.conf${end}\n`
  const about = `what ${proxy.type} includes`
  if (proxy.type === 'nginx')
    return [{ path: `/etc/nginx/conf.d/${service}.conf`, mode: 0o644, about, text: include('include', ';') }]
  const available = (file: string) => existsSync(join(root, '/etc/apache2/mods-available', file))
  const links = modules.flatMap((name) => [`${name}.load`, `${name}.conf`]).filter(available)
  return [
    ...links.map((file): Piece => ({
      path: `/etc/apache2/mods-enabled/${file}`,
      mode: 0o777,
      isLink: true,
      about: 'a module of httpd',
      text: `../mods-available/${file}`,
    })),
    { path: `/etc/apache2/conf-enabled/${service}.conf`, mode: 0o644, about, text: include('IncludeOptional', '') },
  ]
}

/** The program that a manager that is not root calls instead of that of the reverse proxy: it tests and reloads, as root. */
export function proxyCommand({ service }: Pick<SetupOptions, 'service'>): string {
  return `/usr/local/lib/steward/${service}-proxy`
}

/**
 * The rule of sudo is for this script alone, which belongs to root and takes no arguments but those that the manager gives.
 * The configuration that is tested and loaded is the manager's own all the same, and the reverse proxy reads it as root: so
 * the account has to be trusted like root, which docs/production.md says.
 */
export function sudoPieces(proxy: ProxyProgram, options: SetupOptions): readonly Piece[] {
  const { home, service, user } = options
  const command = proxyCommand(options)
  const checked = `${home}/proxy/generations/check-*/${proxy.mainFile.slice(proxy.mainFile.lastIndexOf('/') + 1)}`
  const allowed =
    proxy.type === 'nginx'
      ? [
          ["'-V'", ''],
          [`'-c ${proxy.mainFile} -s reload'`, ''],
          ["'-t -q -c '*", '[ $# -eq 4 ] && own "$4" || refuse "$@"'],
        ]
      : [
          ["'-V'", ''],
          [`'-f ${proxy.mainFile} -k graceful'`, ''],
          [`'-f ${proxy.mainFile} -t -D DUMP_RUN_CFG'`, ''],
          [
            "'-t -D DUMP_INCLUDES -d '*",
            '[ $# -eq 7 ] && [ "$6" = -f ] && own "$7" && { [ "$5/${7##*/}" = "$7" ] || [ "$5" = /etc/apache2 ]; } || refuse "$@"',
          ],
        ]
  return [
    {
      path: command,
      mode: 0o755,
      about: `tests and reloads ${proxy.type} for ${user}, as root`,
      checkedBy: ['sh', '-n'],
      text: `#!/bin/sh
# Written by "manager setup": tests and reloads ${proxy.type} for ${user}, and nothing else. sudo runs it as root.
[ "$(id -u)" = 0 ] || exec sudo -n ${command} "$@"
refuse() { echo "Not allowed: $*" >&2; exit 64; }
own() { case $1 in *..*) return 1 ;; ${checked}) return 0 ;; *) return 1 ;; esac; }
case "$*" in
${allowed.map(([pattern, also]) => `  ${pattern}) ${also === '' ? ':' : also} ;;`).join('\n')}
  *) refuse "$@" ;;
esac
exec ${proxy.program} "$@"
`,
    },
    {
      path: `/etc/sudoers.d/${service}`,
      mode: 0o440,
      about: `lets ${user} run ${command}`,
      checkedBy: ['visudo', '-cqf'],
      text: `# Written by "manager setup".
Defaults!${command} !requiretty
${user} ALL=(root) NOPASSWD: ${command}
`,
    },
  ]
}
