import type { Variable } from '../variable.js'
import { integer, yesNo } from './rows.js'

const section = 'Reverse proxy'

/** Variables of the reverse proxy and of certificates. Source: docs/spec/instances-manager.md, "Global settings". */
export const proxyTable = {
  APPS_HTTPSERVER: {
    type: 'choice',
    section,
    choices: ['nginx', 'httpd'],
    orPackage: true,
    default: 'nginx',
    summary: 'Reverse proxy',
  },
  APPS_PROXY: yesNo(section, 'no', 'Whether instances are published by the reverse proxy'),
  APPS_PROXYDIR: {
    type: 'path',
    section,
    default: '$APPS_HOME/proxy',
    summary: 'Folder for its configuration; its main file must include live/*.conf from it',
  },
  APPS_PROXYCONFIG: {
    type: 'path',
    section,
    summary: "Main configuration file of the reverse proxy; not set: the system's",
  },
  APPS_PROXYCOMMAND: {
    type: 'path',
    section,
    summary: 'Program of the reverse proxy; not set: found in PATH',
  },
  APPS_PROXYHTTP: integer(section, '80', 'Port of HTTP', 1, 65_535),
  APPS_PROXYHTTPS: integer(section, '443', 'Port of HTTPS', 1, 65_535),

  APPS_SSL: {
    type: 'choice',
    section: 'SSL',
    choices: ['true', 'false', 'force'],
    default: 'true',
    summary: 'Whether the reverse proxy uses HTTPS; "force": only HTTPS',
  },
  APPS_SERVER_CERT: certificate('Certificate of the server; needed for HTTPS, unless APPS_ACME'),
  APPS_SERVER_KEY: certificate('Key of that certificate; needed for HTTPS, unless APPS_ACME'),
  APPS_SERVER_CA_CERT: certificate('Certificate of the authority of the server'),
  APPS_CLIENT_CA_CERT: certificate('Certificate of the authority of client certificates'),
  APPS_CLIENT_CA_PATH: certificate('Folder of authorities of client certificates'),
  APPS_ACME: yesNo('SSL', 'no', 'Whether certificates are issued by ACME for addresses without one'),
  APPS_ACMEDIRECTORY: {
    type: 'url',
    section: 'SSL',
    default: 'https://acme-v02.api.letsencrypt.org/directory',
    summary: 'Directory of the authority of ACME',
  },
  APPS_ACMEEMAIL: { type: 'email', section: 'SSL', summary: 'Contact of its account; not set: APPS_EMAIL' },
  APPS_ACMECA: {
    type: 'path',
    section: 'SSL',
    summary: 'CA certificate to trust for the directory of a private authority',
  },
} as const satisfies Readonly<Record<string, Variable>>

/** A name is one in `/etc/ssl`. Source: docs/spec/instances-manager.md, "Global settings". */
function certificate(summary: string) {
  return { type: 'text', section: 'SSL', summary: `${summary}; a path, or a name in /etc/ssl` } as const
}
