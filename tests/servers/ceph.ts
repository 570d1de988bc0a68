import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { asUser, giveTo } from './as-user.js'
import { Background, ProgramEnded, started } from './background.js'
import { makeFolder } from './folders.js'
import { freePorts } from './ports.js'
import { run } from './programs.js'

/** The system user who runs it when we are root. */
const user = 'ceph'

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
    try {
      return await started(new PrivateCeph(await makeFolder('ceph'), await freePorts(2)), (ceph) => ceph.start())
    } catch (error) {
      // Another process took its port meanwhile.
      if (!(error instanceof ProgramEnded) || attempt === 3) throw error
    }
  }
}

class PrivateCeph implements TestCeph {
  readonly #folder: string
  readonly #ports: readonly number[]
  readonly #programs: Background

  constructor(folder: string, ports: readonly number[]) {
    this.#folder = folder
    this.#ports = ports
    this.#programs = new Background(user, folder)
  }

  get pids(): ReadonlyMap<string, number> {
    return this.#programs.pids
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
    await this.#ask(['osd', 'new', store])
    await this.#ask(['osd', 'crush', 'add-bucket', 'h1', 'host', 'root=default'])
    await this.#ask(['osd', 'crush', 'add', 'osd.0', '1', 'host=h1'])
    await this.#run(['ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store])
    this.#spawn(['ceph-osd', '-i', '0', '-f'])
    this.#spawn(['radosgw', '-n', 'client.rgw', '-f'])
    const { accessKey, secretKey } = this.s3
    const keys = ['--access-key', accessKey, '--secret-key', secretKey]
    await this.admin(['user', 'create', '--uid', 'backup', '--display-name', 'backup', ...keys])
    // The gateway makes its pools first.
    await this.#programs.isReady(() => this.#answers())
  }

  admin(args: readonly string[]): Promise<string> {
    return this.#run(['radosgw-admin', '-n', 'client.rgw', ...args])
  }

  close(): Promise<void> {
    return this.#programs.close()
  }

  /**
   * Gives the monitor a command that may be repeated. Soon after its start it refuses some with EPERM: the first, and on
   * a busy machine later ones, too.
   */
  async #ask(command: string[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#run(['ceph', ...command])
        return
      } catch (error) {
        if (!(error as Error).message.includes('EPERM') || attempt === 50) throw error
        await sleep(200)
      }
    }
  }

  #run(command: string[]): Promise<string> {
    return this.#programs.whileRunning(run(asUser(user, this.#configured(command))))
  }

  #spawn(command: [name: string, ...string[]]): void {
    this.#programs.spawn(command[0], this.#configured(command))
  }

  #configured([program = '', ...args]: string[]): string[] {
    return [program, '-c', join(this.#folder, 'ceph.conf'), ...args]
  }

  async #answers(): Promise<boolean> {
    const answer = fetch(this.s3.endpoint, { signal: AbortSignal.timeout(5000) })
    return answer.then(
      ({ status }) => status === 200,
      () => false,
    )
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
rgw multipart min part size = 1048576
`
}
