import { proxyHeaders } from '../proxy-headers.js'
import { placeLines, renderFiles } from '../render-files.js'
import { generationHeader, probeHost, probePath, type Generation } from '../reverse-proxy.js'
import { authorityOf, wakerHeader, type Place, type Publication, type Site, type Upstream } from '../site.js'

export interface HttpdOptions {
  /** The content of `home/proxy.secret`. */
  readonly secret: string
}

const challengePath = '/.well-known/acme-challenge/'

/** Files of Apache httpd: virtual hosts of each host, with a location for each instance there. */
export function renderHttpd(
  publication: Publication,
  generation: Generation,
  { secret }: HttpdOptions,
): ReadonlyMap<string, string> {
  return renderFiles(publication, firstFile(publication, generation), (site) =>
    hostsOf(site, publication, generation, secret),
  )
}

/** The first virtual host of a port takes what is for no other one. */
function firstFile(publication: Publication, { id, folder }: Generation): string {
  const { sites, httpPort, httpsPort } = publication
  const encrypted = sites.find(({ tls }) => tls)
  const lines = [`  ServerName ${probeHost}`, '  RewriteEngine On', ...probe(id), '  RewriteRule ^ - [R=404,L]']
  return [
    '# Written by the manager: changes are lost.',
    `<VirtualHost *:${httpPort}>`,
    ...lines,
    '</VirtualHost>',
    ...(encrypted ? [`<VirtualHost *:${httpsPort}>`, ...lines, ...tlsLines(encrypted, folder), '</VirtualHost>'] : []),
    '',
  ].join('\n')
}

function probe(id: string): readonly string[] {
  return [
    `  Header always set ${generationHeader} ${id} "expr=%{REQUEST_URI} == '${probePath}'"`,
    `  RewriteRule ^${probePath.replaceAll('.', '\\.')}$ - [R=204,L]`,
  ]
}

function tlsLines({ tls, clientAuthorities }: Site, folder: string): readonly string[] {
  if (!tls) return []
  return [
    '  SSLEngine on',
    `  SSLCertificateFile "${folder}/certificates/${tls.hash}.pem"`,
    `  SSLCertificateKeyFile "${tls.keyFile}"`,
    '  SSLProtocol -all +TLSv1.2 +TLSv1.3',
    '  <IfModule http2_module>',
    '    Protocols h2 http/1.1',
    '  </IfModule>',
    ...(clientAuthorities === undefined
      ? []
      : [
          `  SSLCACertificateFile "${folder}/certificates/clients.pem"`,
          '  SSLVerifyClient optional',
          '  SSLVerifyDepth 5',
        ]),
  ]
}

function hostsOf(site: Site, publication: Publication, generation: Generation, secret: string): readonly string[] {
  const { folder, id } = generation
  const { host, tls, http, places } = site
  const { manager, httpPort, httpsPort } = publication
  const shared = [
    `  ServerName ${host}`,
    '  AllowEncodedSlashes NoDecode',
    '  LimitRequestBody 0',
    '  RewriteEngine On',
    ...probe(id),
  ]
  const challenge = [
    `  <Location "${challengePath}">`,
    `    ProxyPass "${targetOf(manager)}${challengePath}" nocanon retry=0 disablereuse=on`,
    '    ProxyPreserveHost On',
    '  </Location>',
  ]
  const serving = [
    ...places.flatMap((place) => placeLines(place, locationOf(site, place, publication, generation, secret))),
    ...challenge,
    ...(places.some(({ path }) => path === '')
      ? []
      : [`  RewriteRule ^/(?!\\.well-known/)${behind(places)} - [R=404,L]`]),
  ]
  const virtual = (port: number, lines: readonly string[]) => [`<VirtualHost *:${port}>`, ...lines, '</VirtualHost>']
  const encrypted = tls ? virtual(httpsPort, [...shared, ...tlsLines(site, folder), ...serving]) : []
  if (http === 'serve') return [...virtual(httpPort, [...shared, ...serving]), ...encrypted]
  const port = httpsPort === 443 ? '' : `:${httpsPort}`
  const instead =
    http === 'redirect'
      ? [
          // As it came: another rule would decode it.
          `  RewriteCond %{REQUEST_URI} !^${challengePath.replaceAll('.', '\\.')}`,
          '  RewriteCond %{THE_REQUEST} "^\\S+ (?:https?://[^/ ]*)?(/[^? ]*)"',
          `  RewriteRule ^ https://${host}${port}%1 [R=308,NE,L]`,
        ]
      : [`  RewriteCond %{REQUEST_URI} !^${challengePath.replaceAll('.', '\\.')}`, '  RewriteRule ^ - [R=503,L]']
  return [...virtual(httpPort, [...shared, ...instead, ...challenge]), ...encrypted]
}

/** What is below none of these. */
function behind(places: readonly Place[]): string {
  return places.map(({ path }) => `(?!${path.slice(1).replaceAll('.', '\\.')}(?:/|$))`).join('')
}

function locationOf(
  { host, tls, clientAuthorities }: Site,
  { path, upstream, waker, instance, context = '', snippet }: Place,
  { hsts }: Publication,
  { folder }: Generation,
  secret: string,
): readonly string[] {
  const prefix = instance && context === '' ? path : ''
  const passedTo = (instance && waker) ?? upstream
  const target = passedTo && `${targetOf(passedTo)}${instance ? context : path}`
  const set = (name: string, value: string) => `  RequestHeader set ${name} "${value}"`
  const unset = (name: string) => `  RequestHeader unset ${name}`
  const tellsClient = !instance && clientAuthorities !== undefined
  return [
    ...(path === ''
      ? []
      : [
          `<LocationMatch "^${path.replaceAll('.', '\\.')}$">`,
          '  ProxyPass "!"',
          `  Redirect 308 "${path}/"`,
          '</LocationMatch>',
        ]),
    ...(target === undefined ? closed(path) : []),
    `<Location "${path}/">`,
    // "%" of a path stays as it came. Another connection each time: none is used that an instance just closes.
    ...(target === undefined
      ? []
      : [
          `  ProxyPass "${target}/" nocanon upgrade=websocket retry=0 disablereuse=on flushpackets=on connectiontimeout=5 timeout=3600`,
        ]),
    '  ProxyPreserveHost On',
    // Those of the upstream's own address.
    ...(!instance || context === path
      ? []
      : [
          `  ProxyPassReverseCookiePath "${context || '/'}" "${context && path ? path : `${path}/`}"`,
          ...redirects(host, context, path),
        ]),
    ...(waker && instance ? [set(wakerHeader, instance.id)] : []),
    unset('Forwarded'),
    '  ProxyAddHeaders Off',
    '  RequestHeader append X-Forwarded-For "expr=%{REMOTE_ADDR}"',
    '  RequestHeader set X-Real-IP "expr=%{REMOTE_ADDR}"',
    '  RequestHeader set X-Forwarded-Proto "expr=%{REQUEST_SCHEME}"',
    '  RequestHeader set X-Forwarded-Host "expr=%{HTTP_HOST}"',
    '  RequestHeader unset X-Forwarded-Server',
    prefix === '' ? unset('X-Forwarded-Prefix') : set('X-Forwarded-Prefix', prefix),
    instance ? unset(proxyHeaders.secret) : set(proxyHeaders.secret, secret),
    ...(['verify', 'subject', 'serial'] as const).flatMap((key) => [
      unset(proxyHeaders[key]),
      ...(tellsClient && tls
        ? [`  RequestHeader set ${proxyHeaders[key]} "%{${variables[key]}}s" "expr=-n %{${variables[key]}}"`]
        : []),
    ]),
    ...(hsts && tls
      ? [
          '  Header always unset Strict-Transport-Security',
          '  Header unset Strict-Transport-Security',
          '  Header always set Strict-Transport-Security "max-age=31536000"',
        ]
      : []),
    ...(instance && snippet ? [`  Include "${folder}/snippets/${instance.id}.conf"`] : []),
    '</Location>',
  ]
}

/** Answers in place of an instance; challenges of ACME for its host are the manager's all the same. */
function closed(path: string): readonly string[] {
  return [
    `<LocationMatch "^${path.replaceAll('.', '\\.')}/(?!${challengePath.slice(1).replaceAll('.', '\\.')})">`,
    '  ProxyPass "!"',
    '  Redirect 503',
    '  Header always set Retry-After 5',
    '</LocationMatch>',
  ]
}

function targetOf(upstream: Upstream): string {
  const { socket } = upstream
  return `${socket === undefined ? '' : `unix:${socket}|`}http://${authorityOf(upstream)}`
}

const variables = { verify: 'SSL_CLIENT_VERIFY', subject: 'SSL_CLIENT_S_DN', serial: 'SSL_CLIENT_M_SERIAL' } as const

/** Redirects of an instance to paths of its own get the prefix, in place of its own. */
function redirects(host: string, context: string, path: string): readonly string[] {
  const pattern = host.replaceAll('.', '\\.').replaceAll(/[[\]]/g, '\\$&')
  const own = context.replaceAll('.', '\\.')
  return [
    `  Header edit Location "^(https?://${pattern}(?::[0-9]+)?)?${own}/(.*)$" "$1${path}/$2"`,
    `  Header always edit Location "^(https?://${pattern}(?::[0-9]+)?)?${own}/(.*)$" "$1${path}/$2"`,
  ]
}
