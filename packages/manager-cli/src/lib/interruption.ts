import { constants } from 'node:os'
import { ManagerError } from '@steward/manager-core/errors'
import type { Signals } from './surroundings.js'

/** Signals that end a command. */
const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What Ctrl-C does while a command runs. */
export interface Interruption {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal
  /** Resolves with the exit code at the second. */
  readonly second: Promise<number>
  /** Exit code of the first signal; undefined until then. */
  readonly exitCode: number | undefined
  /** Signals mean what they meant before. */
  end(): void
}

/** @param onFirst is called at the first signal */
export function interruptionBy(signals: Signals, onFirst: () => void): Interruption {
  const controller = new AbortController()
  const { promise: second, resolve } = Promise.withResolvers<number>()
  let exitCode: number | undefined
  const listeners = names.map((name) => {
    const listener = () => {
      if (exitCode !== undefined) return resolve(exitCode)
      exitCode = 128 + constants.signals[name]
      onFirst()
      controller.abort(new ManagerError('ERR_FAILED', 'Cancelled.'))
    }
    signals.on(name, listener)
    return () => void signals.off(name, listener)
  })
  return {
    signal: controller.signal,
    second,
    get exitCode() {
      return exitCode
    },
    end: () => listeners.forEach((off) => off()),
  }
}
