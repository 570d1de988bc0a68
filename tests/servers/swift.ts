import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from './folders.js'
import { run, serverEnvironment } from './programs.js'
import { asUser, freePorts, giveTo, isRoot } from './server.js'

/** The system user who runs it when we are root. */
const user = 'swift'
const startTimeoutMs = 30_000
/** Debian's: Swift is not installed for another one that comes first in PATH. */
const python = '/usr/bin/python3'

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

/** Starts proxy, account, container and object server, and the memcached that tokens are kept in; about 2 seconds. */
export async function startSwift(): Promise<TestSwift> {
  const folder = await makeFolder('swift', await folderWithAttributes())
  const [proxy, account, container, object, memcached] = await freePorts(5)
  const ports = { proxy, account, container, object, memcached } as TestSwift['ports']
  writeConfiguration(folder, ports)
  await giveTo(user, folder)
  const swift = new PrivateSwift(folder, ports)
  try {
    await swift.startAll()
    return swift
  } catch (error) {
    await swift.close()
    throw error
  }
}

class PrivateSwift implements TestSwift {
  readonly folder: string
  readonly ports: TestSwift['ports']
  readonly pids = new Map<string, number>()
  readonly #children: ChildProcess[] = []
  #answers: AsyncIterator<string> | undefined

  constructor(folder: string, ports: TestSwift['ports']) {
    this.folder = folder
    this.ports = ports
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
    this.#spawn('memcached', ['memcached', '-l', '127.0.0.1', '-p', String(memcached), '-U', '0', '-m', '16'])
    const script = join(import.meta.dirname, 'swift-servers.py')
    const { stdout } = this.#spawn('swift', [python, script, this.folder])
    this.#answers = createInterface({ input: stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
    for (const kind of ['account', 'container', 'object', 'proxy']) await this.#launch(kind)
    await Promise.all(Object.values(this.ports).map((port) => this.#listens(port)))
  }

  async start(name: string): Promise<void> {
    if (this.pids.has(name)) return
    await this.#launch(name)
    await this.#listens(portIn(join(this.folder, `${name}-server.conf`)))
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
    const running = this.#children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    const ended = Promise.all(running.map((child) => once(child, 'exit')))
    for (const child of running) {
      child.ref()
      child.kill('SIGKILL')
    }
    await ended
    // The kernel kills the forked servers with the one that forked them.
    for (const port of Object.values(this.ports)) while (await accepts(port)) await sleep(5)
    this.pids.clear()
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Starts a server whose configuration is there, and learns its pid. */
  async #launch(name: string): Promise<void> {
    const [, swift] = this.#children
    swift?.stdin?.write(`${name}\n`)
    const answer = await this.#answers?.next()
    if (!answer?.value) throw new Error(`Swift did not start:\n${this.#logs()}`)
    this.pids.set(name, Number(answer.value))
  }

  #spawn(name: string, command: string[]): ChildProcess {
    const [program = '', ...args] = asUser(user, command)
    const log = openSync(join(this.folder, `${name}.log`), 'w')
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', log],
      env: serverEnvironment({ HOME: this.folder }),
      cwd: this.folder,
    })
    closeSync(log)
    child.once('error', () => {})
    child.stdin?.on('error', () => {})
    child.unref()
    this.#children.push(child)
    return child
  }

  async #listens(port: number): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    while (!(await accepts(port))) {
      const ended = this.#children.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)
      if (ended || Date.now() > deadline) throw new Error(`Swift did not start:\n${this.#logs()}`)
      await sleep(20)
    }
  }

  #logs(): string {
    const tail = (name: string) =>
      readFileSync(join(this.folder, `${name}.log`), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(-15)
    return ['memcached', 'swift'].flatMap(tail).join('\n')
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
  const common = (port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${isRoot() ? user : userInfo().username}
swift_dir = ${folder}
`
  for (const kind of ['account', 'container', 'object'] as const) {
    write(
      `${kind}-server.conf`,
      `${common(ports[kind])}devices = ${folder}/srv
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
  write('proxy-server.conf', common(ports.proxy) + proxyPipeline('s3api tempauth', ports.memcached, tempauth))
}

const tempauth = `[filter:tempauth]
use = egg:swift#tempauth
user_admin_admin = admin .admin .reseller_admin
user_test_tester = testing .admin
user_test_reader = reading
`

/** What a proxy does with a request, with the given filters of log-in in the middle. */
export function proxyPipeline(login: string, memcachedPort: number, loginFilters: string): string {
  const plain = ['catch_errors', 'gatekeeper', 'healthcheck', 'bulk', 'tempurl', 'copy', 'slo', 'dlo', 'symlink']
  return `[pipeline:main]
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

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
