import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { giveTo, isRoot } from './as-user.js'
import { Background, started } from './background.js'
import { makeFolder } from './folders.js'
import { accepts, freePorts } from './ports.js'
import { run } from './programs.js'

/** The system user who runs it when we are root; one that every system has. */
export const swiftUser = 'daemon'
/** Debian's: Swift is not installed for another one that comes first in PATH. */
export const python = '/usr/bin/python3'

export type SwiftServerKind = 'proxy' | 'account' | 'container' | 'object'

/** A private OpenStack Swift with the users of `tempauth`, and Amazon's S3 API at the same address. */
export interface TestSwift {
  /** `http://127.0.0.1:<port>`: the native API is below `/v1`, S3 at its root (path style). */
  readonly url: string
  readonly port: number
  /** Log-in of version 1. */
  readonly auth: { readonly url: string; readonly user: string; readonly key: string }
  /** A user who may only look at what is shared with it: nothing. */
  readonly reader: { readonly user: string; readonly key: string }
  readonly s3: {
    readonly endpoint: string
    readonly region: string
    readonly accessKey: string
    readonly secretKey: string
  }
  readonly folder: string
  readonly ports: Readonly<Record<SwiftServerKind | 'memcached', number>>
  /** Process ids of the servers that run. */
  readonly pids: ReadonlyMap<string, number>
  /** All tokens that were given are unknown from now on. */
  expireTokens(): Promise<void>
  /** Kills one of its servers. */
  stop(kind: SwiftServerKind): Promise<void>
  /** Starts what was stopped, on the same port and data, or another one that `folder` has a `<name>-server.conf` for. */
  start(name: string): Promise<void>
  /** Ends all and removes the folder. */
  close(): Promise<void>
}

/** Starts proxy, account, container and object server, and the memcached that tokens are kept in; about a second. */
export async function startSwift(): Promise<TestSwift> {
  const folder = await makeFolder('swift', await folderWithAttributes())
  const [proxy, account, container, object, memcached] = await freePorts(5)
  const ports = { proxy, account, container, object, memcached } as TestSwift['ports']
  writeConfiguration(folder, ports)
  await giveTo(swiftUser, folder)
  return started(new PrivateSwift(folder, ports), (swift) => swift.startAll())
}

class PrivateSwift implements TestSwift {
  readonly folder: string
  readonly ports: TestSwift['ports']
  readonly pids = new Map<string, number>()
  readonly #programs: Background
  #loader: { readonly input: Writable; readonly answers: AsyncIterator<string> } | undefined

  constructor(folder: string, ports: TestSwift['ports']) {
    this.folder = folder
    this.ports = ports
    this.#programs = new Background(swiftUser, folder)
  }

  get port(): number {
    return this.ports.proxy
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get auth() {
    return { url: `${this.url}/auth/v1.0`, user: 'test:tester', key: 'testing' }
  }

  readonly reader = { user: 'test:reader', key: 'reading' }

  get s3() {
    return { endpoint: this.url, region: 'us-east-1', accessKey: 'test:tester', secretKey: 'testing' }
  }

  async startAll(): Promise<void> {
    const { memcached } = this.ports
    this.#programs.spawn('memcached', ['memcached', '-l', '127.0.0.1', '-p', String(memcached), '-U', '0', '-m', '16'])
    // Its user may not be able to enter this folder.
    const program = readFileSync(join(import.meta.dirname, 'swift-servers.py'), 'utf8')
    const { stdin, stdout } = this.#programs.spawn('swift', [python, '-c', program, this.folder], { pipes: true })
    const lines = createInterface({ input: stdout as Readable })
    this.#loader = { input: stdin as Writable, answers: lines[Symbol.asyncIterator]() }
    for (const kind of ['account', 'container', 'object', 'proxy']) await this.#launch(kind)
    await Promise.all(Object.values(this.ports).map((port) => this.#programs.listens(port)))
  }

  async start(name: string): Promise<void> {
    if (this.pids.has(name)) return
    await this.#launch(name)
    await this.#programs.listens(portIn(join(this.folder, `${name}-server.conf`)))
  }

  async stop(kind: SwiftServerKind): Promise<void> {
    const pid = this.pids.get(kind)
    if (pid === undefined) return
    process.kill(pid, 'SIGKILL')
    this.pids.delete(kind)
    while (await accepts(this.ports[kind])) await sleep(5)
  }

  async expireTokens(): Promise<void> {
    const socket = connect(this.ports.memcached, '127.0.0.1')
    socket.write('flush_all\r\n')
    await once(socket, 'data')
    socket.destroy()
  }

  async close(): Promise<void> {
    await this.#programs.stop()
    // The kernel kills the forked servers with the one that forked them.
    for (const port of Object.values(this.ports)) while (await accepts(port)) await sleep(5)
    this.pids.clear()
    await this.#programs.close()
  }

  /** Starts a server whose configuration is there, and learns its pid. */
  async #launch(name: string): Promise<void> {
    if (!this.#loader) throw new Error('This Swift was not started.')
    this.#loader.input.write(`${name}\n`)
    const { value } = await this.#programs.whileRunning(this.#loader.answers.next())
    this.pids.set(name, Number(value))
  }
}

/** Swift keeps what it knows of an object in extended attributes, which not every kernel has for files in memory. */
async function folderWithAttributes(): Promise<string | undefined> {
  const folder = await makeFolder('attributes')
  const probe = "import os, sys; os.setxattr(sys.argv[1], 'user.swift', b'1')"
  const works = await run([python, '-I', '-S', '-c', probe, folder]).then(
    () => true,
    () => false,
  )
  await rm(folder, { recursive: true })
  return works ? undefined : '/var/tmp'
}

function writeConfiguration(folder: string, ports: TestSwift['ports']): void {
  mkdirSync(join(folder, 'srv/d1'), { recursive: true })
  mkdirSync(join(folder, 'cache'))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write(
    'swift.conf',
    '[swift-hash]\nswift_hash_path_suffix = t\nswift_hash_path_prefix = t\n[storage-policy:0]\nname = gold\ndefault = yes\n',
  )
  for (const kind of ['account', 'container', 'object'] as const) {
    write(
      `${kind}-server.conf`,
      `${serverDefaults(folder, ports[kind])}devices = ${folder}/srv
mount_check = false
fallocate_reserve = 0
recon_cache_path = ${folder}/cache
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`,
    )
  }
  write('proxy-server.conf', proxyConfiguration(folder, ports.proxy, ports.memcached, 's3api tempauth', tempauth))
}

const tempauth = `[filter:tempauth]
use = egg:swift#tempauth
user_admin_admin = admin .admin .reseller_admin
user_test_tester = testing .admin
user_test_reader = reading
`

function serverDefaults(folder: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${isRoot() ? swiftUser : userInfo().username}
swift_dir = ${folder}
`
}

/** For a proxy with the given filters for the log-in, and their settings. */
export function proxyConfiguration(
  folder: string,
  port: number,
  memcachedPort: number,
  login: string,
  loginFilters: string,
): string {
  const plain = ['catch_errors', 'gatekeeper', 'healthcheck', 'bulk', 'tempurl', 'copy', 'slo', 'dlo', 'symlink']
  return `${serverDefaults(folder, port)}[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache bulk tempurl ${login} copy container-quotas account-quotas slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${memcachedPort}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
min_segment_size = 1048576
dns_compliant_bucket_names = false
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
[filter:container-quotas]
use = egg:swift#container_quotas
[filter:account-quotas]
use = egg:swift#account_quotas
${plain.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')}${loginFilters}`
}

function portIn(file: string): number {
  return Number(/^bind_port = (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1])
}
