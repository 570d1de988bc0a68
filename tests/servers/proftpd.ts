import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from './folders.js'
import { killDescendants } from './processes.js'
import { run, serverEnvironment } from './programs.js'
import { asUser, freePort, giveTo, isRoot } from './server.js'

const startTimeoutMs = 30_000
/** The system user who runs it when we are root. */
const systemUser = 'daemon'
const password = 'secret'
/** Of the password: `openssl passwd -5`. */
const passwordHash = '$5$steward$u/Y5EsWL7cZ.Cpi4slnrZnPJbTKQMazRuhZVbQtdjv7'

export interface ProftpdOptions {
  /** `explicit`: nothing is possible without. Default: none. */
  readonly tls?: 'none' | 'explicit' | 'implicit'
  /** Ports of data connections, from `first` to `last`. Default: any. */
  readonly dataPorts?: { readonly first: number; readonly last: number }
  /** Further lines of its configuration, as `MaxStoreFileSize 1 Mb`. */
  readonly lines?: readonly string[]
}

/** A private ProFTPD with one user. */
export interface TestProftpd {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** An empty folder for what is stored. */
  readonly store: string
  /** The certificate of the server, signed by itself. */
  readonly certificate: string
  readonly folder: string
  readonly pid: number | undefined
  /** Options of the target `ftp`. */
  readonly options: Readonly<Record<string, string>>
  start(): Promise<void>
  /** Ends it and all sessions at once. */
  stop(): Promise<void>
  /** Ends sessions only. @returns how many. */
  killSessions(): number
  /** `stop()`, and removes the folder. */
  close(): Promise<void>
}

/** Starts a ProFTPD on a free port; about 0.1 seconds. */
export async function startProftpd(options: ProftpdOptions = {}): Promise<TestProftpd> {
  const proftpd = new PrivateProftpd(await makeFolder('proftpd'), await freePort(), options)
  try {
    await proftpd.prepare()
    await proftpd.start()
    return proftpd
  } catch (error) {
    await proftpd.close()
    throw error
  }
}

class PrivateProftpd implements TestProftpd {
  readonly host = '127.0.0.1'
  readonly port: number
  readonly user = 'backup'
  readonly password = password
  readonly folder: string
  readonly #options: ProftpdOptions
  #child: ChildProcess | undefined

  constructor(folder: string, port: number, options: ProftpdOptions) {
    this.folder = folder
    this.port = port
    this.#options = options
  }

  get store(): string {
    return join(this.folder, 'store')
  }

  get certificate(): string {
    return join(this.folder, 'tls.crt')
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  get options(): TestProftpd['options'] {
    const { host, port, user, store, certificate } = this
    const { tls = 'none' } = this.#options
    const plain = { server: host, port: String(port), user, password, path: store, tls }
    return tls === 'none' ? plain : { ...plain, ca: certificate }
  }

  async prepare(): Promise<void> {
    await mkdir(this.store)
    await run([
      ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '30', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', join(this.folder, 'tls.key'), '-out', this.certificate],
    ])
    const [uid, gid] = isRoot()
      ? [await run(['id', '-u', systemUser]), await run(['id', '-g', systemUser])].map((id) => id.trim())
      : [userInfo().uid, userInfo().gid]
    const accounts = `${this.user}:${passwordHash}:${uid}:${gid}::${this.store}:/bin/false\n`
    await writeFile(join(this.folder, 'passwd'), accounts, { mode: 0o600 })
    await writeFile(join(this.folder, 'group'), `backup:x:${gid}:\n`, { mode: 0o600 })
    await writeFile(join(this.folder, 'proftpd.conf'), this.#configuration())
    await giveTo(systemUser, this.folder)
  }

  async start(): Promise<void> {
    if (this.#child) return
    const log = openSync(join(this.folder, 'server.log'), 'w')
    const command = ['proftpd', '-n', '-q', '-c', join(this.folder, 'proftpd.conf')]
    const [program = '', ...args] = asUser(systemUser, command)
    const child = spawn(program, args, { stdio: ['ignore', log, log], env: serverEnvironment(), cwd: this.folder })
    closeSync(log)
    child.unref()
    child.once('error', () => (this.#child = undefined))
    child.once('exit', () => (this.#child = undefined))
    this.#child = child
    const deadline = Date.now() + startTimeoutMs
    while (!(await accepts(this.host, this.port))) {
      if (!this.#child || Date.now() > deadline)
        throw new Error(`ProFTPD did not start:\n${readFileSync(join(this.folder, 'server.log'), 'utf8')}`)
      await sleep(20)
    }
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (!child) return
    const exited = once(child, 'exit')
    child.ref()
    this.killSessions()
    child.kill('SIGKILL')
    await exited
  }

  killSessions(): number {
    return this.pid === undefined ? 0 : killDescendants(this.pid)
  }

  async close(): Promise<void> {
    await this.stop()
    await rm(this.folder, { recursive: true, force: true })
  }

  #configuration(): string {
    const { tls = 'none', dataPorts, lines = [] } = this.#options
    const file = (name: string) => join(this.folder, name)
    const group = isRoot() ? systemUser : `#${userInfo().gid}`
    return [
      `ServerName "test"`,
      `ServerType standalone`,
      `DefaultAddress ${this.host}`,
      `SocketBindTight on`,
      `Port ${this.port}`,
      ...(dataPorts ? [`PassivePorts ${dataPorts.first} ${dataPorts.last}`] : []),
      `UseIPv6 off`,
      `UseReverseDNS off`,
      `User ${isRoot() ? systemUser : userInfo().username}`,
      `Group ${group}`,
      `ModulePath /usr/lib/proftpd`,
      `LoadModule mod_tls.c`,
      `LoadModule mod_digest.c`,
      `ControlsEngine off`,
      `DelayEngine off`,
      `WtmpLog off`,
      `TransferLog none`,
      `PidFile ${file('proftpd.pid')}`,
      `ScoreboardFile ${file('scoreboard')}`,
      `SystemLog ${file('system.log')}`,
      `AuthOrder mod_auth_file.c`,
      `AuthUserFile ${file('passwd')}`,
      `AuthGroupFile ${file('group')}`,
      `RequireValidShell off`,
      `AllowOverwrite on`,
      `AllowStoreRestart on`,
      `AllowRetrieveRestart on`,
      `TLSEngine ${tls === 'none' ? 'off' : 'on'}`,
      `TLSRequired ${tls === 'none' ? 'off' : 'on'}`,
      ...(tls === 'implicit' ? [`TLSOptions UseImplicitSSL`] : []),
      `TLSProtocol TLSv1.2 TLSv1.3`,
      `TLSECCertificateFile ${this.certificate}`,
      `TLSECCertificateKeyFile ${file('tls.key')}`,
      `TLSLog ${file('tls.log')}`,
      ...lines,
      '',
    ].join('\n')
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
