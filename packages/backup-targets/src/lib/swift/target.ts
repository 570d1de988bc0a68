import { HttpClient } from '../http/http-client.js'
import type { TargetType } from '../target-type.js'
import type { BackupTarget } from '../target.js'
import { get, hash, list, stat } from './read.js'
import { remove, sweep } from './remove.js'
import { Session } from './session.js'
import { readSettings, type SwiftSettings } from './settings.js'
import { maxObjectBytes } from './store-object.js'
import { Store, type SwiftContainer } from './store.js'
import { put } from './write.js'

/** A container of OpenStack Swift, or of any store with its API; large objects are stored in segments. */
export const target: TargetType = {
  name: 'swift',
  title: 'OpenStack Swift',
  options: [
    { name: 'auth_url', summary: 'Address of the log-in', required: true },
    {
      name: 'auth_version',
      summary: 'Version of the log-in: 1, or Keystone 2 or 3; by default found out from the address',
    },
    { name: 'username', summary: 'User, with version 1 also "account:user"' },
    { name: 'password', summary: 'Password, with version 1 the key', secret: true },
    { name: 'tenant_name', summary: 'Tenant (version 2) or project (version 3)' },
    { name: 'domain', summary: 'Domain of user and project (version 3)', default: 'Default' },
    { name: 'tenant_domain', summary: 'Domain of the project, when it is another one (version 3)' },
    { name: 'region', summary: 'Region of the store; default: the first one that the log-in reports' },
    { name: 'application_credential_id', summary: 'Application credential, instead of user and password (version 3)' },
    { name: 'application_credential_secret', summary: 'Its secret', secret: true },
    { name: 'container', summary: 'Container or its address; made when it is not there', required: true },
    { name: 'prefix', summary: 'What names of objects begin with' },
    { name: 'part_mb', summary: 'Size in MiB of the segments in which larger objects are stored', default: '64' },
  ],
  open: (options, context) => createSwiftTarget(readSettings(options, context)),
  describe({ container = '', prefix = '', auth_url: authUrl = '' }) {
    const place = /^https?:/i.test(container) ? withoutPassword(container) : `swift://${hostOf(authUrl)}/${container}`
    return prefix === '' ? place : `${place.replace(/\/$/, '')}/${prefix.replace(/^\/+/, '')}`
  },
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? ''
}

function withoutPassword(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.origin}${url.pathname}` : ''
}

/** Objects of a container of OpenStack Swift. */
export function createSwiftTarget(settings: SwiftSettings): BackupTarget {
  const http = new HttpClient(settings.idleMs)
  const session = new Session(http, settings)
  const container: SwiftContainer = { settings, session, store: new Store(session) }
  return {
    capabilities: Object.freeze({
      atomicPublish: 'request',
      hashes: ['md5'],
      resume: 'parts',
      multipart: { partBytes: settings.partBytes, parallel: 1 },
      // Swift looks whether there is one when a request starts, not when it ends; others with its API do not look.
      conditionalCreate: false,
      immutability: false,
      unknownSize: true,
      listOrder: 'key',
      maxObjectBytes,
    } as const),
    put: (key, source, options) => put(container, key, source, options),
    get: (key, options) => get(container, key, options),
    stat: (key, options) => stat(container, key, options),
    list: (options) => list(container, options),
    delete: (key, options) => remove(container, key, options),
    hash: (key, options) => hash(container, key, options),
    sweep: (options) => sweep(container, options),
    close: () => Promise.resolve(http.close()),
  }
}
