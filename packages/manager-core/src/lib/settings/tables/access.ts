import type { Variable } from '../variable.js'
import { integer, secret, text, yesNo } from './rows.js'

/**
 * Variables of the API, the pages and the terminal: where they listen and who may use them. Source:
 * docs/spec/instances-manager.md, "Global settings".
 */
export const accessTable = {
  APPS_USERNAME: { type: 'text', section: 'Access', default: 'admin', summary: 'User of the API and the pages' },
  APPS_PASSWORD: secret('Access', 'Password of the API and the pages; not set: "admin", on this machine only'),
  APPS_REALMNAME: {
    type: 'text',
    section: 'Access',
    default: 'Steward',
    summary: 'Name of this manager, beside the mark of the pages and as the realm of the log-in',
  },
  APPS_LISTEN: text(
    'Access',
    'Address and port that the server listens on; not set: loopback, the port of APPS_BASEURL',
  ),
  APPS_TRUSTEDPROXIES: {
    type: 'networks',
    section: 'Access',
    default: '127.0.0.1,::1',
    summary: 'Addresses of reverse proxies whose X-Forwarded-For is believed',
  },
  APPS_CLIENTABILITIES: {
    type: 'abilities',
    section: 'Access',
    default: 'admin,sensitive',
    summary: 'Abilities of users with a client certificate: read, operate, admin, sensitive',
  },
  APPS_LOGINATTEMPTS: integer(
    'Access',
    '10',
    'Wrong passwords from one address in 15 minutes before it is blocked; 0: no limit',
    0,
    100_000,
  ),
  APPS_ALLOWREGISTER: yesNo('Access', 'no', 'Whether self-registration is enabled'),
  APPS_ALLOWDISPLAYREGISTER: yesNo('Access', 'no', 'Whether the link to self-registration is shown'),
  APPS_ALLOWDOWNLOAD: yesNo('Access', 'yes', 'Whether instances may be downloaded'),
  APPS_WORKERS: integer('Access', '4', 'Operations that the server runs at the same time', 1, 64),
  APPS_TERMINAL: yesNo('Access', 'no', 'Whether there is a terminal in the browser'),
  APPS_TERMINALIDLE: integer('Access', '900', 'Seconds without input until it closes', 10, 86_400),
  APPS_TERMINALMAX: integer('Access', '28800', 'Seconds until it closes', 10, 604_800),
} as const satisfies Readonly<Record<string, Variable>>
