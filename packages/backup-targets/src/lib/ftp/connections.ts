import { isIP } from 'node:net'
import type { Client } from 'basic-ftp'
import { loadPackage } from '../load-package.js'
import { abortable } from '../abortable.js'
import { noFolder } from '../remote-files/path.js'
import { TargetError } from '../target-error.js'
import { ftpError, replyCode } from './errors.js'
import { serverName, type FtpSettings } from './settings.js'

/** A connection that one call has for itself. */
export interface FtpLease {
  readonly client: Client
  /** `isDoubtful`: it is not used again. */
  release(isDoubtful: boolean): void
}

/** A connection does one thing at a time: each call has one for itself; those that are free are used again. */
export class FtpConnections {
  readonly #settings: FtpSettings
  readonly #all = new Set<Client>()
  #free: Client[] = []
  #isClosed = false

  constructor(settings: FtpSettings) {
    this.#settings = settings
  }

  async lease(signal?: AbortSignal): Promise<FtpLease> {
    signal?.throwIfAborted()
    const client = this.#takeFree() ?? (await this.#connect(signal))
    return {
      client,
      release: (isDoubtful) => {
        if (isDoubtful || client.closed || this.#isClosed) this.#end(client)
        else this.#free.push(client)
      },
    }
  }

  /** Runs a call on one, until the signal is aborted. */
  async use<T>(signal: AbortSignal | undefined, call: (client: Client) => Promise<T>): Promise<T> {
    const { client, release } = await this.lease(signal)
    try {
      const result = await abortable(call(client), signal)
      release(false)
      return result
    } catch (error) {
      // When the server refuses a command, the connection is idle again.
      release(signal?.aborted === true || replyCode(error) === undefined)
      throw error
    }
  }

  close(): void {
    this.#isClosed = true
    for (const client of this.#all) this.#end(client)
    this.#free = []
  }

  #takeFree(): Client | undefined {
    for (;;) {
      const client = this.#free.pop()
      if (!client?.closed) return client
      this.#end(client)
    }
  }

  #end(client: Client): void {
    this.#all.delete(client)
    client.close()
  }

  async #connect(signal: AbortSignal | undefined): Promise<Client> {
    const { context, folder } = this.#settings
    const { Client } = await loadPackage('basic-ftp', () => import('basic-ftp'))
    const client = new Client(context.idleMs)
    this.#all.add(client)
    // Limits the wait for each answer, too, but not for TLS.
    const limit = AbortSignal.timeout(2 * context.idleMs)
    const either = signal ? AbortSignal.any([signal, limit]) : limit
    try {
      await abortable(this.#logIn(client), either)
      if (folder !== '.') await abortable(this.#enterFolder(client), either)
      return client
    } catch (error) {
      this.#end(client)
      if (error !== limit.reason) throw error
      const seconds = (2 * context.idleMs) / 1000
      const message = `${serverName(this.#settings)} did not finish the login within ${seconds} s.`
      throw new TargetError('ERR_TARGET_UNREACHABLE', message)
    }
  }

  async #logIn(client: Client): Promise<void> {
    const { host, port, user, password, tls, ca } = this.#settings
    const server = serverName(this.#settings)
    const secureOptions = { rejectUnauthorized: true, ca, servername: isIP(host) ? undefined : host }
    const secure = tls === 'explicit' ? true : tls === 'implicit' && 'implicit'
    try {
      await client.access({ host, port, user, password, secure, secureOptions })
    } catch (error) {
      const isPlain = tls === 'explicit' && [500, 502, 504, 534].includes(replyCode(error) ?? 0)
      if (!isPlain) throw ftpError(error, `Cannot log in at ${server}`)
      throw new TargetError('ERR_TARGET_SETTINGS', `${server} does not encrypt FTP: ${(error as Error).message}`, {
        cause: error,
        help: 'Use a server that encrypts. With the option "tls" set to "none", the password and all data can be read on their way.',
      })
    }
    // Other commands would be tried for a folder that is not there, and kept.
    if (client.availableListCommands.includes('MLSD')) client.availableListCommands = ['MLSD']
  }

  async #enterFolder(client: Client): Promise<void> {
    const { folder } = this.#settings
    try {
      await client.cd(folder)
    } catch (error) {
      if (replyCode(error) === undefined) throw ftpError(error, `Cannot enter ${JSON.stringify(folder)}`)
      throw noFolder(folder, serverName(this.#settings))
    }
  }
}
