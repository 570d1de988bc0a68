import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from './folders.js'
import { killDescendants } from './processes.js'
import { run, serverEnvironment } from './programs.js'
import { asUser, freePort, isRoot } from './server.js'

const startTimeoutMs = 30_000

export interface SshdOptions {
  /**
   * `forced`: nothing but SFTP; `read-only`: that, and nothing can be written; `bare`: that, without OpenSSH's extensions.
   * Default: SFTP and commands.
   */
  readonly sftp?: 'none' | 'forced' | 'read-only' | 'bare'
  /** No file can have more bytes (a multiple of 1024): writing fails, or ends the session. */
  readonly fileLimit?: { readonly bytes: number; readonly beyond: 'fails' | 'kills' }
  /** Programs that fail on it, as if they were not there. */
  readonly without?: readonly string[]
}

/** A private OpenSSH server, into which the user of the tests may log in by key. */
export interface TestSshd {
  readonly host: string
  readonly port: number
  readonly user: string
  /** An empty folder for what is stored. */
  readonly store: string
  /** Files of the client: a key that is let in, one that is not, and the known host key for any port of this host. */
  readonly key: string
  readonly strangerKey: string
  readonly knownHosts: string
  readonly folder: string
  readonly pid: number | undefined
  /** Options of the target `scp`. */
  readonly options: Readonly<Record<string, string>>
  start(): Promise<void>
  /** Ends it and all sessions at once. */
  stop(): Promise<void>
  /** Ends sessions only. @returns how many processes. */
  killSessions(): number
  /** Another host key from now on, which clients do not know. */
  changeHostKey(): Promise<void>
  /** `stop()`, and removes the folder. */
  close(): Promise<void>
}

/** Starts an sshd on a free port; about 0.2 seconds. */
export async function startSshd(options: SshdOptions = {}): Promise<TestSshd> {
  const folder = await makeFolder('sshd')
  const sshd = new PrivateSshd(folder, await freePort(), options)
  try {
    await sshd.prepare()
    await sshd.start()
    return sshd
  } catch (error) {
    await sshd.close()
    throw error
  }
}

class PrivateSshd implements TestSshd {
  readonly host = '127.0.0.1'
  readonly port: number
  readonly user = userInfo().username
  readonly folder: string
  readonly #options: SshdOptions
  #child: ChildProcess | undefined

  constructor(folder: string, port: number, options: SshdOptions) {
    this.folder = folder
    this.port = port
    this.#options = options
  }

  get store(): string {
    return join(this.folder, 'store')
  }

  get key(): string {
    return join(this.folder, 'user-key')
  }

  get strangerKey(): string {
    return join(this.folder, 'stranger-key')
  }

  get knownHosts(): string {
    return join(this.folder, 'known_hosts')
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  get options() {
    const { host, port, user, store, key, knownHosts } = this
    return { server: host, port: String(port), user, path: store, key, known_hosts: knownHosts }
  }

  async prepare(): Promise<void> {
    await mkdir(this.store)
    await Promise.all(['host-key', 'user-key', 'stranger-key'].map((name) => this.#makeKey(name)))
    await writeFile(join(this.folder, 'authorized_keys'), await readFile(`${this.key}.pub`), { mode: 0o600 })
    const hostKey = await readFile(join(this.folder, 'host-key.pub'), 'utf8')
    await writeFile(this.knownHosts, `[${this.host}]:* ${hostKey}`)
    await writeFile(join(this.folder, 'sshd_config'), this.#configuration())
    await mkdir(join(this.folder, 'bin'))
    for (const program of this.#options.without ?? [])
      await writeFile(join(this.folder, 'bin', program), '#!/bin/sh\nexit 127\n', { mode: 0o755 })
  }

  async start(): Promise<void> {
    if (this.#child) return
    const log = openSync(join(this.folder, 'server.log'), 'w')
    const [command = '', ...args] = asUser(this.user, this.#command())
    const child = spawn(command, args, { stdio: ['ignore', log, log], env: serverEnvironment(), cwd: this.folder })
    closeSync(log)
    child.unref()
    child.once('error', () => (this.#child = undefined))
    child.once('exit', () => (this.#child = undefined))
    this.#child = child
    const deadline = Date.now() + startTimeoutMs
    while (!(await greets(this.host, this.port))) {
      if (!this.#child || Date.now() > deadline)
        throw new Error(`sshd did not start:\n${readFileSync(join(this.folder, 'server.log'), 'utf8')}`)
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

  async changeHostKey(): Promise<void> {
    await this.stop()
    await rm(join(this.folder, 'host-key'))
    await this.#makeKey('host-key')
    await this.start()
  }

  async close(): Promise<void> {
    await this.stop()
    await rm(this.folder, { recursive: true, force: true })
  }

  async #makeKey(name: string): Promise<void> {
    await run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(this.folder, name)])
  }

  #configuration(): string {
    const { sftp } = this.#options
    const extensions = 'posix-rename,hardlink,fsync,limits,statvfs'
    const force = {
      forced: 'internal-sftp',
      'read-only': 'internal-sftp -R',
      bare: `internal-sftp -P ${extensions}`,
    }[sftp as string]
    // Each command logs in: no start-up files of the user's shell, and no slow exchange of keys.
    return `Port ${this.port}
ListenAddress ${this.host}
HostKey ${join(this.folder, 'host-key')}
PidFile none
AuthorizedKeysFile ${join(this.folder, 'authorized_keys')}
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
KexAlgorithms curve25519-sha256
SetEnv HOME=${this.folder} PATH=${join(this.folder, 'bin')}:/usr/local/bin:/usr/bin:/bin
${sftp === 'none' ? '' : 'Subsystem sftp internal-sftp'}
${force === undefined ? '' : `ForceCommand ${force}`}
`
  }

  #command(): string[] {
    const program = ['/usr/sbin/sshd', '/usr/bin/sshd', '/usr/local/sbin/sshd'].find((path) => existsSync(path))
    if (isRoot()) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
    const command = [program ?? 'sshd', '-D', '-e', '-f', join(this.folder, 'sshd_config')]
    const { fileLimit } = this.#options
    if (!fileLimit) return command
    const signal = fileLimit.beyond === 'fails' ? '--ignore-signal=XFSZ' : '--default-signal=XFSZ'
    return ['bash', '-c', `ulimit -f ${fileLimit.bytes / 1024}; exec env ${signal} "$@"`, 'bash', ...command]
  }
}

/** Whether an SSH server answers. */
function greets(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.once('data', (chunk: Buffer) => {
      resolve(chunk.toString('latin1').startsWith('SSH-'))
      socket.destroy()
    })
    socket.once('error', () => resolve(false)).once('close', () => resolve(false))
  })
}
