import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from './folders.js'
import { run, serverEnvironment } from './programs.js'
import { asUser, freePorts, giveTo } from './server.js'

/** The system user who runs it when we are root. */
const user = 'ceph'
const startTimeoutMs = 60_000

/** A private Ceph of one monitor, one store in memory and one gateway with the S3 API. */
export interface TestCeph {
  readonly port: number
  readonly s3: {
    readonly endpoint: string
    readonly region: string
    readonly accessKey: string
    readonly secretKey: string
  }
  /** Process ids of the servers, by name: `ceph-mon`, `ceph-osd`, `radosgw`. */
  readonly pids: ReadonlyMap<string, number>
  /** Runs `radosgw-admin`, e.g. `['user', 'info', '--uid', 'backup']`. */
  admin(args: readonly string[]): Promise<string>
  /** Ends all and removes the folder. */
  close(): Promise<void>
}

/** Starts it, in about 3 seconds; what is stored is kept in memory. */
export async function startCeph(): Promise<TestCeph> {
  for (let attempt = 1; ; attempt++) {
    const ceph = new PrivateCeph(await makeFolder('ceph'), await freePorts(2))
    try {
      await ceph.start()
      return ceph
    } catch (error) {
      await ceph.close()
      // Somebody else took its port meanwhile.
      if (!(error instanceof EndedEarly) || attempt === 3) throw error
    }
  }
}

class EndedEarly extends Error {}

class PrivateCeph implements TestCeph {
  readonly pids = new Map<string, number>()
  readonly #folder: string
  readonly #ports: readonly number[]
  readonly #children: ChildProcess[] = []
  readonly #ended = Promise.withResolvers<never>()

  constructor(folder: string, ports: readonly number[]) {
    this.#folder = folder
    this.#ports = ports
    this.#ended.promise.catch(() => {})
  }

  get port(): number {
    return this.#ports[1] ?? 0
  }

  get s3() {
    const endpoint = `http://127.0.0.1:${this.port}`
    return { endpoint, region: 'us-east-1', accessKey: 'backup-access', secretKey: 'backup-secret' }
  }

  async start(): Promise<void> {
    const cluster = randomUUID()
    const [monitorPort = 0, gatewayPort = 0] = this.#ports
    for (const name of ['mon', 'osd', 'run', 'log']) mkdirSync(join(this.#folder, name))
    writeFileSync(join(this.#folder, 'keyring'), '')
    writeFileSync(join(this.#folder, 'ceph.conf'), configuration(this.#folder, cluster, monitorPort, gatewayPort))
    await giveTo(user, this.#folder)
    const map = join(this.#folder, 'monmap')
    const address = `[v1:127.0.0.1:${monitorPort}]`
    await this.#run(['monmaptool', '--create', '--clobber', '--fsid', cluster, '--addv', 'a', address, map])
    await this.#run(['ceph-mon', '--mkfs', '-i', 'a', '--monmap', map])
    this.#spawn(['ceph-mon', '-i', 'a', '-f'])
    const store = randomUUID()
    // It waits for the monitor.
    await this.#run(['ceph', 'osd', 'new', store])
    await this.#run(['ceph', 'osd', 'crush', 'add-bucket', 'h1', 'host', 'root=default'])
    await this.#run(['ceph', 'osd', 'crush', 'add', 'osd.0', '1', 'host=h1'])
    await this.#run(['ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store])
    this.#spawn(['ceph-osd', '-i', '0', '-f'])
    this.#spawn(['radosgw', '-n', 'client.rgw', '-f'])
    const { accessKey, secretKey } = this.s3
    const keys = ['--access-key', accessKey, '--secret-key', secretKey]
    await this.admin(['user', 'create', '--uid', 'backup', '--display-name', 'backup', ...keys])
    await this.#answers()
  }

  admin(args: readonly string[]): Promise<string> {
    return this.#run(['radosgw-admin', '-n', 'client.rgw', ...args])
  }

  async close(): Promise<void> {
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const exited = once(child, 'exit')
      child.ref()
      child.kill('SIGKILL')
      await exited
    }
    this.pids.clear()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  async #run([program = '', ...args]: string[]): Promise<string> {
    try {
      const done = run(asUser(user, [program, '-c', join(this.#folder, 'ceph.conf'), ...args]))
      return await Promise.race([done, this.#ended.promise])
    } catch (error) {
      if (error instanceof EndedEarly) throw error
      throw new Error(`${(error as Error).message}\n${this.#logs()}`, { cause: error })
    }
  }

  #spawn([name = '', ...args]: string[]): void {
    const [program = '', ...rest] = asUser(user, [name, '-c', join(this.#folder, 'ceph.conf'), ...args])
    const log = openSync(join(this.#folder, `${name}.log`), 'w')
    const child = spawn(program, rest, { stdio: ['ignore', log, log], env: serverEnvironment(), cwd: this.#folder })
    closeSync(log)
    child.once('error', () => {})
    child.once('exit', () => this.#ended.reject(new EndedEarly(`${name} has ended:\n${this.#logs()}`)))
    child.unref()
    this.#children.push(child)
    if (child.pid !== undefined) this.pids.set(name, child.pid)
  }

  /** The gateway makes its pools first. */
  async #answers(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    for (;;) {
      const answer = fetch(this.s3.endpoint, { signal: AbortSignal.timeout(5000) })
      const isReady = answer.then(
        ({ status }) => status === 200,
        () => false,
      )
      if (await Promise.race([isReady, this.#ended.promise])) return
      if (Date.now() > deadline) throw new Error(`Ceph did not start:\n${this.#logs()}`)
      await sleep(50)
    }
  }

  #logs(): string {
    const files = [...this.pids.keys()].map((name) => join(this.#folder, `${name}.log`))
    const tail = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-10) : [])
    return files.flatMap(tail).join('\n')
  }
}

/** `$name` is Ceph's own variable. */
function configuration(folder: string, cluster: string, monitorPort: number, gatewayPort: number): string {
  return `[global]
fsid = ${cluster}
mon host = v1:127.0.0.1:${monitorPort}
ms bind msgr2 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
pid file = ${folder}/run/$name.pid
log file = ${folder}/log/$name.log
mon cluster log file = ${folder}/log/cluster.log
crash dir = ${folder}/log
keyring = ${folder}/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 2000
osd objectstore = memstore
memstore device bytes = 4294967296
osd class update on start = false
osd crush update on start = false
[mon.a]
mon data = ${folder}/mon
mon data avail crit = 1
paxos propose interval = 0.02
paxos min wait = 0.01
[osd.0]
osd data = ${folder}/osd
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
rgw data = ${folder}/rgw
`
}
