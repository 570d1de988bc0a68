import semver from 'semver'
import { proxyHeaders } from '../proxy-headers.js'
import { placeLines, renderFiles } from '../render-files.js'
import { generationHeader, probeHost, probePath, type Generation } from '../reverse-proxy.js'
import { authorityOf, wakerHeader, type Place, type Publication, type Site, type Upstream } from '../site.js'

export interface NginxOptions {
  readonly version: string
  /** The content of `home/proxy.secret`. */
  readonly secret: string
  /** Whether this machine has IPv6. */
  readonly ipv6: boolean
  /** Whether the main file says itself how large tables of host names may be. */
  readonly hasHashSizes: boolean
}

/** What clients read of an instance that does not answer. */
const away = 'It does not answer at the moment.'

/** Files of nginx: a server of each host, with a location for each instance there. */
export function renderNginx(
  publication: Publication,
  generation: Generation,
  options: NginxOptions,
): ReadonlyMap<string, string> {
  return renderFiles(publication, firstFile(publication, generation, options), (site) =>
    serversOf(site, publication, generation, options),
  )
}

/** What all share, and the server for hosts of no instance. */
function firstFile(publication: Publication, { id }: Generation, options: NginxOptions): string {
  const hasTls = publication.sites.some(({ tls }) => tls)
  return [
    '# Written by the manager: changes are lost.',
    ...hashSizes(publication, options),
    // Nothing else than WebSocket: others could get past what the proxy does.
    'map $http_upgrade $steward_upgrade { default ""; "~*^websocket$" websocket; }',
    'map $steward_upgrade $steward_connection { default upgrade; "" close; }',
    ...upstreamsOf(publication),
    'map $http_host $steward_port { default ""; "~(?<steward_given_port>:[0-9]+)$" $steward_given_port; }',
    'server {',
    ...listen(publication.httpPort, options),
    ...(hasTls ? [...listen(publication.httpsPort, options, ' ssl'), '  ssl_reject_handshake on;'] : []),
    `  server_name ${probeHost};`,
    ...probeLocation(id),
    '  location / { return 404; }',
    '}',
    '',
  ].join('\n')
}

/** Many or long names need larger tables than nginx has by itself; too small ones are an error of the whole. */
function hashSizes({ sites }: Publication, { hasHashSizes }: NginxOptions): readonly string[] {
  const isSmall = sites.length < 200 && sites.every(({ host }) => host.length <= 30)
  if (hasHashSizes || isSmall) return []
  return [`server_names_hash_max_size ${Math.max(4096, sites.length * 8)};`, 'server_names_hash_bucket_size 512;']
}

/**
 * Those of instances that may sleep, or have a socket. When the manager's server is away, one that is awake keeps
 * answering: a request that could not be sent to the first one is sent to the backup.
 */
function upstreamsOf({ sites, manager }: Publication): readonly string[] {
  const places = new Map(sites.flatMap((site) => site.places).map((place) => [place.instance?.id, place]))
  const ofManager = manager.socket === undefined ? [] : [`upstream steward_manager { server ${serverOf(manager)}; }`]
  const ofInstances = [...places.values()].flatMap((place) => {
    const { waker, upstream, instance } = place
    if (!instance || !hasGroup(place)) return []
    const servers = [waker, upstream].filter((one) => one !== undefined).map(serverOf)
    return [
      `upstream steward_${instance.id} {`,
      ...servers.map((server, at) => `  server ${server} max_fails=0${at > 0 ? ' backup' : ''};`),
      '}',
    ]
  })
  return [...ofManager, ...ofInstances]
}

/** As a member of an upstream group. */
function serverOf(upstream: Upstream): string {
  return upstream.socket === undefined ? authorityOf(upstream) : `unix:${upstream.socket}`
}

/** Whether it is an upstream group: it has several servers, or a socket. */
function hasGroup({ waker, upstream }: Place): boolean {
  return waker !== undefined || upstream?.socket !== undefined
}

function targetOf(place: Place): string | undefined {
  const { upstream, instance } = place
  if (hasGroup(place)) return `http://steward_${instance?.id ?? 'manager'}`
  return upstream && `http://${authorityOf(upstream)}`
}

function listen(port: number, { ipv6 }: NginxOptions, flags = ''): readonly string[] {
  return [`  listen ${port}${flags};`, ...(ipv6 ? [`  listen [::]:${port}${flags};`] : [])]
}

function probeLocation(id: string): readonly string[] {
  return [`  location = ${probePath} { add_header ${generationHeader} ${id} always; return 204; }`]
}

function serversOf(
  site: Site,
  publication: Publication,
  generation: Generation,
  options: NginxOptions,
): readonly string[] {
  const { host, tls, http, clientAuthorities, places } = site
  const { folder, id } = generation
  const flag = semver.lt(options.version, '1.25.1') ? ' http2' : ''
  const plain = listen(publication.httpPort, options)
  const encrypted = tls
    ? [
        ...listen(publication.httpsPort, options, ` ssl${flag}`),
        ...(flag === '' ? ['  http2 on;'] : []),
        `  ssl_certificate "${folder}/certificates/${tls.hash}.pem";`,
        `  ssl_certificate_key "${tls.keyFile}";`,
        '  ssl_protocols TLSv1.2 TLSv1.3;',
        ...(clientAuthorities === undefined
          ? []
          : [
              `  ssl_client_certificate "${folder}/certificates/clients.pem";`,
              '  ssl_verify_client optional;',
              '  ssl_verify_depth 5;',
            ]),
      ]
    : []
  const shared = [`  server_name ${host};`, '  absolute_redirect off;', ...probeLocation(id), ...challenge(publication)]
  const serving = [
    '  client_max_body_size 0;',
    // Directives of a snippet override these.
    '  proxy_buffering off;',
    '  proxy_request_buffering off;',
    '  proxy_connect_timeout 5s;',
    '  proxy_read_timeout 1h;',
    '  proxy_send_timeout 1h;',
    '  error_page 502 504 =503 @steward_away;',
    `  location @steward_away { add_header Retry-After 5 always; default_type text/plain; return 503 "${away}\\n"; }`,
    ...places.flatMap((place) => placeLines(place, locationOf(site, place, publication, generation, options))),
    ...(places.some(({ path }) => path === '') ? [] : ['  location / { return 404; }']),
  ]
  const server = (lines: readonly string[]) => ['server {', ...lines, '}']
  if (http === 'serve') return server([...plain, ...encrypted, ...shared, ...serving])
  const port = publication.httpsPort === 443 ? '' : `:${publication.httpsPort}`
  const instead =
    http === 'redirect'
      ? `  location / { return 308 https://${host}${port}$request_uri; }`
      : '  location / { return 503; }'
  return [...server([...plain, ...shared, instead]), ...(tls ? server([...encrypted, ...shared, ...serving]) : [])]
}

/** The manager answers challenges of ACME (RFC 8555, 8.3) for all hosts. */
function challenge({ manager }: Publication): readonly string[] {
  return [
    '  location ^~ /.well-known/acme-challenge/ {',
    `    proxy_pass ${targetOf({ path: '', upstream: manager })};`,
    '    proxy_set_header Host $host$steward_port;',
    '  }',
  ]
}

function locationOf(
  { host, tls, clientAuthorities }: Site,
  place: Place,
  { hsts }: Publication,
  { folder }: Generation,
  { secret }: NginxOptions,
): readonly string[] {
  const { path, waker, instance, context = '', snippet } = place
  const target = targetOf(place)
  const prefix = instance && context === '' ? path : ''
  return [
    ...(path === '' ? [] : [`location = ${path} { return 308 ${path}/$is_args$args; }`]),
    `location ${path}/ {`,
    // As it came: what is encoded in a path stays so, also after the prefix.
    ...(target === undefined
      ? ['  add_header Retry-After 5 always;', '  default_type text/plain;', `  return 503 "${away}\\n";`]
      : !instance || context === path
        ? [`  proxy_pass ${target};`]
        : [
            '  set $steward_found "";',
            // A named group, as numbered ones would be encoded again.
            `  if ($request_uri ~ "^${escaped(path)}(?<steward_path>/.*)$") { set $steward_found yes; }`,
            '  if ($steward_found = "") { return 400; }',
            `  proxy_pass ${target}${context}$steward_path;`,
            `  proxy_redirect ~^(https?://${escaped(host)}(?::[0-9]+)?)?${escaped(context)}/(.*)$ $1${path}/$2;`,
            `  proxy_cookie_path ${context || '/'} ${context && path ? path : `${path}/`};`,
          ]),
    '  proxy_http_version 1.1;',
    '  proxy_set_header Host $host$steward_port;',
    '  proxy_set_header Upgrade $steward_upgrade;',
    '  proxy_set_header Connection $steward_connection;',
    ...(waker && instance ? [`  proxy_set_header ${wakerHeader} ${instance.id};`] : []),
    '  proxy_set_header Forwarded "";',
    '  proxy_set_header X-Real-IP $remote_addr;',
    '  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    '  proxy_set_header X-Forwarded-Proto $scheme;',
    '  proxy_set_header X-Forwarded-Host $host$steward_port;',
    `  proxy_set_header X-Forwarded-Prefix "${prefix}";`,
    ...Object.entries({
      secret: instance ? '' : secret,
      verify: instance || clientAuthorities === undefined ? '' : '$ssl_client_verify',
      subject: instance || clientAuthorities === undefined ? '' : '$ssl_client_s_dn',
      serial: instance || clientAuthorities === undefined ? '' : '$ssl_client_serial',
    }).map(([key, value]) => `  proxy_set_header ${proxyHeaders[key as keyof typeof proxyHeaders]} "${value}";`),
    ...(hsts && tls
      ? [
          '  proxy_hide_header Strict-Transport-Security;',
          '  add_header Strict-Transport-Security "max-age=31536000" always;',
        ]
      : []),
    ...(instance && snippet ? [`  include "${folder}/snippets/${instance.id}.conf";`] : []),
    '}',
  ]
}

/** Within a regular expression. */
function escaped(text: string): string {
  return text.replaceAll(/[.[\]]/g, '\\$&')
}
