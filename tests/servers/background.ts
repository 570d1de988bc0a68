import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serverEnvironment } from './programs.js'
import { asUser } from './server.js'

const startTimeoutMs = 60_000

/** Programs of one server that run in its folder until they are ended, or this process is. */
export class Background {
  readonly #user: string
  readonly #folder: string
  readonly #children = new Map<string, ChildProcess>()

  /** @param user the system user who runs them when we are root */
  constructor(user: string, folder: string) {
    this.#user = user
    this.#folder = folder
  }

  /** Its standard input and output are pipes; errors go to `<name>.log`. */
  spawn(name: string, command: string[]): ChildProcess {
    const [program = '', ...args] = asUser(this.#user, command)
    const log = openSync(join(this.#folder, `${name}.log`), 'w')
    const env = serverEnvironment({ HOME: this.#folder })
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', log], env, cwd: this.#folder })
    closeSync(log)
    child.once('error', () => {})
    child.stdin?.on('error', () => {})
    child.unref()
    this.#children.set(name, child)
    return child
  }

  /** Resolves when somebody accepts connections. @throws Error when one of the programs has ended. */
  async listens(port: number): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    while (!(await accepts(port))) {
      const hasEnded = [...this.#children.values()].some((child) => !isRunning(child))
      if (hasEnded || Date.now() > deadline) throw this.failure()
      await sleep(20)
    }
  }

  /** With what the programs said last. */
  failure(): Error {
    const tails = [...this.#children.keys()].map((name) => {
      const lines = readFileSync(join(this.#folder, `${name}.log`), 'utf8')
        .trimEnd()
        .split('\n')
      return `${name}: ${lines.slice(-15).join('\n')}`
    })
    return new Error(`A server did not start:\n${tails.join('\n')}`)
  }

  async close(): Promise<void> {
    const running = [...this.#children.values()].filter(isRunning)
    const ended = Promise.all(running.map((child) => once(child, 'exit')))
    for (const child of running) {
      child.ref()
      child.kill('SIGKILL')
    }
    await ended
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

/** Whether somebody listens on a port of 127.0.0.1. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
