import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { giveTo, isRoot } from './as-user.js'
import { started } from './background.js'
import { FileServer, type TestFileServer } from './file-server.js'
import { makeFolder } from './folders.js'
import { isListening } from './ports.js'
import { run } from './programs.js'
import { takeTestPort } from '../../packages/manager-core/src/lib/testing/take-ports.js'

/** The system user who runs it when we are root. */
const systemUser = 'daemon'
const password = 'secret'
/** Hash of the password: `openssl passwd -5`. */
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
export interface TestProftpd extends TestFileServer {
  readonly password: string
  /** The certificate of the server, signed by itself. */
  readonly certificate: string
}

/** Starts a ProFTPD on a free port; about 0.1 seconds. */
export async function startProftpd(options: ProftpdOptions = {}): Promise<TestProftpd> {
  const proftpd = new PrivateProftpd(await makeFolder('proftpd'), await takeTestPort(), options)
  return started(proftpd, () => proftpd.begin())
}

class PrivateProftpd extends FileServer implements TestProftpd {
  readonly user = 'backup'
  readonly password = password
  readonly #options: ProftpdOptions

  constructor(folder: string, port: number, options: ProftpdOptions) {
    super(systemUser, folder, port)
    this.#options = options
  }

  get certificate(): string {
    return join(this.folder, 'tls.crt')
  }

  get options(): TestProftpd['options'] {
    const { host, port, user, store, certificate } = this
    const { tls = 'none' } = this.#options
    const plain = { server: host, port: String(port), user, password, path: store, tls }
    return tls === 'none' ? plain : { ...plain, ca: certificate }
  }

  protected async prepare(): Promise<void> {
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

  protected command(): string[] {
    return ['proftpd', '-n', '-q', '-c', join(this.folder, 'proftpd.conf')]
  }

  protected answers(): Promise<boolean> {
    return isListening(this.port)
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
