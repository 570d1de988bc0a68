import { existsSync, mkdirSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { isRoot } from './as-user.js'
import { started } from './background.js'
import { FileServer, type TestFileServer } from './file-server.js'
import { makeFolder } from './folders.js'
import { run } from './programs.js'
import { takeTestPort } from '../../packages/manager-core/src/lib/testing/take-ports.js'

export interface SshdOptions {
  /**
   * `forced`: nothing but SFTP; `read-only`: that, and nothing can be written; `bare`: that, without OpenSSH's extensions;
   * `none`: commands only; `missing`: its program is not there, as with Dropbear. Default: SFTP and commands.
   */
  readonly sftp?: 'none' | 'missing' | 'forced' | 'read-only' | 'bare'
  /** No file can have more bytes (a multiple of 1024): writing fails, or ends the session. */
  readonly fileLimit?: { readonly bytes: number; readonly beyond: 'fails' | 'kills' }
  /** Programs that fail on it, as if they were not there. */
  readonly without?: readonly string[]
}

/** A private OpenSSH server, into which the user of the tests may log in by key. */
export interface TestSshd extends TestFileServer {
  /** Files of the client: a key that is let in, one that is not, and the known host key for any port of this host. */
  readonly key: string
  readonly strangerKey: string
  readonly knownHosts: string
  /** Another host key from now on, which clients do not know. */
  changeHostKey(): Promise<void>
}

/** Starts an sshd on a free port; about 0.2 seconds. */
export async function startSshd(options: SshdOptions = {}): Promise<TestSshd> {
  const sshd = new PrivateSshd(await makeFolder('sshd'), await takeTestPort(), options)
  return started(sshd, () => sshd.begin())
}

class PrivateSshd extends FileServer implements TestSshd {
  readonly user = userInfo().username
  readonly #options: SshdOptions

  constructor(folder: string, port: number, options: SshdOptions) {
    super(userInfo().username, folder, port)
    this.#options = options
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

  get options() {
    const { host, port, user, store, key, knownHosts } = this
    return { server: host, port: String(port), user, path: store, key, known_hosts: knownHosts }
  }

  async changeHostKey(): Promise<void> {
    await this.stop()
    await rm(join(this.folder, 'host-key'))
    await this.#makeKey('host-key')
    await this.start()
  }

  protected async prepare(): Promise<void> {
    await Promise.all(['host-key', 'user-key', 'stranger-key'].map((name) => this.#makeKey(name)))
    await writeFile(join(this.folder, 'authorized_keys'), await readFile(`${this.key}.pub`), { mode: 0o600 })
    const hostKey = await readFile(join(this.folder, 'host-key.pub'), 'utf8')
    await writeFile(this.knownHosts, `[${this.host}]:* ${hostKey}`)
    await writeFile(join(this.folder, 'sshd_config'), this.#configuration())
    await mkdir(join(this.folder, 'bin'))
    for (const program of this.#options.without ?? [])
      await writeFile(join(this.folder, 'bin', program), '#!/bin/sh\nexit 127\n', { mode: 0o755 })
  }

  /** Not before it greets: what only listens may be another server. */
  protected answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, this.host)
      socket.once('data', (chunk: Buffer) => {
        resolve(chunk.toString('latin1').startsWith('SSH-'))
        socket.destroy()
      })
      socket.once('error', () => resolve(false)).once('close', () => resolve(false))
    })
  }

  protected command(): string[] {
    const program = ['/usr/sbin/sshd', '/usr/bin/sshd', '/usr/local/sbin/sshd'].find((path) => existsSync(path))
    if (isRoot()) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
    const command = [program ?? 'sshd', '-D', '-e', '-f', join(this.folder, 'sshd_config')]
    const { fileLimit } = this.#options
    if (!fileLimit) return command
    const signal = fileLimit.beyond === 'fails' ? '--ignore-signal=XFSZ' : '--default-signal=XFSZ'
    return ['bash', '-c', `ulimit -f ${fileLimit.bytes / 1024}; exec env ${signal} "$@"`, 'bash', ...command]
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
    const program = sftp === 'missing' ? '/usr/libexec/no-sftp-server' : 'internal-sftp'
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
${sftp === 'none' ? '' : `Subsystem sftp ${program}`}
${force === undefined ? '' : `ForceCommand ${force}`}
`
  }
}
