import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { giveTo } from './as-user.js'
import { Background, started } from './background.js'
import { makeFolder } from './folders.js'
import { freePorts } from './ports.js'
import { proxyConfiguration, python, swiftUser, type TestSwift } from './swift.js'

/** A private Keystone, and a second proxy in front of a Swift that asks it who a caller is. */
export interface TestKeystone {
  /** Without a version: `http://127.0.0.1:<port>`; version 3 is at `/v3`, and there is no other. */
  readonly url: string
  /** URL of the proxy. */
  readonly swiftUrl: string
  /** May use Swift in the project `backups`. */
  readonly user: { readonly name: string; readonly password: string; readonly domain: string; readonly project: string }
  /** Belongs to that user. */
  readonly applicationCredential: { readonly id: string; readonly secret: string }
  readonly region: string
  /** Ends Keystone; the proxy ends with its Swift. */
  close(): Promise<void>
}

/** Starts both; about 2 seconds. */
export async function startKeystone(swift: TestSwift): Promise<TestKeystone> {
  const folder = await makeFolder('keystone')
  const [port = 0, proxyPort = 0] = await freePorts(2)
  const [url, swiftUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${proxyPort}`]
  writeFileSync(join(folder, 'keystone.conf'), configuration(folder))
  await giveTo(swiftUser, folder)
  const proxy = proxyConfiguration(
    swift.folder,
    proxyPort,
    swift.ports.memcached,
    'authtoken keystoneauth',
    loginFilters(`${url}/v3`),
  )
  writeFileSync(join(swift.folder, 'keystone-proxy-server.conf'), proxy)

  const programs = await started(new Background(swiftUser, folder), async (background) => {
    // Its user may not be able to enter this folder.
    const program = readFileSync(join(import.meta.dirname, 'keystone-server.py'), 'utf8')
    background.spawn('keystone', [python, '-c', program, folder, String(port), swiftUrl])
    await Promise.all([background.listens(port), swift.start('keystone-proxy')])
  })
  return {
    url,
    swiftUrl,
    user: { name: 'bk', password: 'bkpw', domain: 'Default', project: 'backups' },
    applicationCredential: { id: 'backupcredential', secret: 'credentialpw' },
    region: 'RegionOne',
    close: () => programs.close(),
  }
}

function configuration(folder: string): string {
  return `[DEFAULT]
log_file = ${folder}/keystone.out
use_stderr = false
[database]
connection = sqlite:///${folder}/keystone.db
[token]
provider = fernet
[fernet_tokens]
key_repository = ${folder}/fernet
[fernet_receipts]
key_repository = ${folder}/fernet
[credential]
key_repository = ${folder}/credential
[cache]
enabled = true
backend = dogpile.cache.memory
[identity]
password_hash_rounds = 4
`
}

function loginFilters(url: string): string {
  return `[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
www_authenticate_uri = ${url}
auth_url = ${url}
auth_type = password
project_domain_id = default
user_domain_id = default
project_name = service
username = swift
password = swiftpw
delay_auth_decision = True
cache = swift.cache
[filter:keystoneauth]
use = egg:swift#keystoneauth
operator_roles = admin, swiftoperator
`
}
