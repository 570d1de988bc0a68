import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeControlSocket, withControlSocket } from './control-socket.js'
import type { Connection } from './shared-connection.js'
import { startSsh, type SshProcess } from './ssh-process.js'
import type { SshSettings } from './settings.js'

/** A log-in for nothing but the commands that go over it. */
export class SshMaster implements Connection {
  readonly ready: Promise<void>
  /** How commands come over it. */
  readonly settings: SshSettings
  readonly #process: SshProcess
  readonly #controlPath: string
  #isEnded = false

  constructor(settings: SshSettings) {
    const own = withControlSocket(settings)
    this.settings = own
    this.#controlPath = own.controlPath
    // It ends with us, whatever ends us.
    this.#process = startSsh(own, { command: 'cat' }, true)
    void this.#process.ended.then(() => this.end())
    this.ready = this.#connected()
    this.ready.catch(() => {})
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#process.kill()
    removeControlSocket({ controlPath: this.#controlPath })
  }

  async #connected(): Promise<void> {
    const limit = performance.now() + 2 * this.settings.context.idleMs
    while (!this.#isEnded && !existsSync(this.#controlPath)) {
      await sleep(10)
      if (performance.now() > limit) this.end()
    }
    if (!this.#isEnded) return
    const { error } = await this.#process.ended
    throw error as Error
  }
}
