import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { noFolder } from '../remote-files/path.js'
import { sessionError, sftpError } from './errors.js'
import { serverName, type SshSettings } from './settings.js'
import { SftpClient } from './sftp/client.js'
import { isStatus, status } from './sftp/error.js'
import { kindOf } from './sftp/packet.js'
import { startSsh, type SshProcess } from './ssh-process.js'

/** The name of a socket has at most 103 bytes, and `ssh` first makes one with a longer name. */
const longestFolder = 60

/** SFTP over a running `ssh`, in one folder. */
export class SftpSession {
  /** Rejects when it did not come about. */
  readonly ready: Promise<void>
  readonly client: SftpClient
  /** How commands come over the same log-in. */
  readonly settings: SshSettings
  readonly #controlPath: string
  readonly #process: SshProcess
  #root = ''
  #isEnded = false

  constructor(settings: SshSettings) {
    const temporary = tmpdir()
    const folder = mkdtempSync(join(temporary.length > longestFolder ? '/tmp' : temporary, 'steward-ssh-'))
    this.#controlPath = join(folder, 'control')
    this.settings = { ...settings, controlPath: this.#controlPath }
    this.#process = startSsh(this.settings, { subsystem: 'sftp' })
    const { child, ended } = this.#process
    this.client = new SftpClient(child.stdout, child.stdin)
    void ended.then((end) => {
      this.end()
      this.client.end(sessionError(settings, end))
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
    rmSync(dirname(this.#controlPath), { recursive: true, force: true })
  }

  async #start(settings: SshSettings): Promise<void> {
    const { folder, context } = settings
    // Once it is connected, ssh watches over the server itself; this is for the log-in.
    const limit = setTimeout(() => this.end(), 2 * context.idleMs)
    try {
      await this.client.start()
      this.#root = await this.client.realPath(folder)
      if (kindOf(await this.client.stat(this.#root)) !== 'folder') throw noFolder(folder, serverName(settings))
    } catch (error) {
      if (isStatus(error, status.noSuchFile)) throw noFolder(folder, serverName(settings))
      throw sftpError(error, `Cannot work in the folder ${JSON.stringify(folder)}`)
    } finally {
      clearTimeout(limit)
    }
  }
}
