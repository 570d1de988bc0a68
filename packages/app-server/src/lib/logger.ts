import { pino } from 'pino'
import type { Logger } from 'pino'
import type { LogRing } from './log-ring.js'

export interface LoggerOptions {
  /** Gets all lines as JSON. */
  readonly ring?: LogRing
  /** Stands in all lines: several workers share one log. */
  readonly worker?: number | undefined
}

/** Logs on stderr: lines for people at a terminal, JSON lines elsewhere. */
export async function createLogger(level: string, { ring, worker }: LoggerOptions = {}): Promise<Logger> {
  const options = { level, base: worker === undefined ? null : { worker } }
  const stream = process.stderr.isTTY
    ? (await import('pino-pretty')).PinoPretty({ destination: 2, sync: true, ignore: 'time', singleLine: true })
    : pino.destination({ fd: 2, sync: true })
  if (!ring) return pino(options, stream)
  const both = {
    write(line: string) {
      stream.write(line)
      ring.write(line)
    },
  }
  return pino(options, both)
}
