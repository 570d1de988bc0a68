import { TargetError } from '../target-error.js'
import { noFolder } from '../remote-files/path.js'
import { removeControlSocket, withControlSocket } from './control-socket.js'
import type { Connection } from './shared-connection.js'
import { startSsh, type SshProcess } from './ssh-process.js'
import { serverName, type SshSettings } from './settings.js'
import { SftpClient } from './sftp/client.js'
import { isStatus, status, targetErrorOf } from './sftp/error.js'

/** The server has no SFTP: what it has instead may be tried. */
export class NoSftpError extends Error {}

/** SFTP over a running `ssh`, in one folder. */
export class SftpSession implements Connection {
  readonly ready: Promise<void>
  readonly client: SftpClient
  /** How commands come over the same log-in. */
  readonly settings: SshSettings
  readonly #controlPath: string
  readonly #process: SshProcess
  #root = ''
  #isEnded = false

  constructor(settings: SshSettings) {
    const own = withControlSocket(settings)
    this.settings = own
    this.#controlPath = own.controlPath
    this.#process = startSsh(own, { subsystem: 'sftp' }, true)
    const { child, ended } = this.#process
    this.client = new SftpClient(child.stdout, child.stdin)
    void ended.then(({ error, output, exitCode }) => {
      this.end()
      const isMissing = /subsystem request failed/i.test(output)
      const server = serverName(settings)
      const lost = new TargetError('ERR_TARGET_UNREACHABLE', `${server} ended SFTP (exit code ${exitCode}): ${output}`)
      this.client.end(isMissing ? new NoSftpError(`${server} has no SFTP.`) : (error ?? lost))
    })
    this.ready = this.#start(settings)
    this.ready.catch(() => this.end())
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Where a file of the folder is on the server; absolute, for commands too. */
  path(relative: string): string {
    if (relative === '') return this.#root
    return this.#root === '/' ? `/${relative}` : `${this.#root}/${relative}`
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#process.kill()
    removeControlSocket({ controlPath: this.#controlPath })
  }

  async #start(settings: SshSettings): Promise<void> {
    const { folder, context } = settings
    // Once it is connected, ssh watches over the server itself; this is for the log-in.
    const limit = setTimeout(() => this.end(), 2 * context.idleMs)
    try {
      await this.client.start()
      this.#root = await this.client.realPath(folder)
      const { permissions } = await this.client.stat(this.#root)
      if (!isFolder(permissions)) throw noFolder(folder, serverName(settings))
    } catch (error) {
      if (isStatus(error, status.noSuchFile)) throw noFolder(folder, serverName(settings))
      throw targetErrorOf(error, `Cannot work in the folder ${JSON.stringify(folder)}`)
    } finally {
      clearTimeout(limit)
    }
  }
}

export function isFolder(permissions: number): boolean {
  return (permissions & 0o170_000) === 0o040_000
}
