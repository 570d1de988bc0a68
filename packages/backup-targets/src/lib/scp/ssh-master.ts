import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from './shared-connection.js'
import { startSsh, type SshProcess } from './ssh-process.js'
import type { SshSettings } from './ssh-settings.js'

/** The name of a socket has at most 103 bytes, and `ssh` first makes one with a longer name. */
const longestFolder = 60

/** A log-in that many commands use, each as quick as on a connection that is there. */
export class SshMaster implements Connection {
  readonly ready: Promise<void>
  /** How commands come over it. Without it, they connect by themselves. */
  readonly settings: SshSettings
  readonly #process: SshProcess
  readonly #folder: string
  #isEnded = false

  constructor(settings: SshSettings) {
    const temporary = tmpdir()
    this.#folder = mkdtempSync(join(temporary.length > longestFolder ? '/tmp' : temporary, 'steward-ssh-'))
    this.settings = { ...settings, controlPath: join(this.#folder, 'control') }
    this.#process = startSsh(this.settings, 'master')
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
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #connected(): Promise<void> {
    const limit = performance.now() + 2 * this.settings.context.idleMs
    while (!this.#isEnded && !existsSync(this.settings.controlPath as string)) {
      await sleep(10)
      if (performance.now() > limit) this.end()
    }
    if (!this.#isEnded) return
    const { error } = await this.#process.ended
    throw error as Error
  }
}
