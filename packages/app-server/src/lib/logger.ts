import { pino } from 'pino'
import type { Logger } from 'pino'
import type { LogRing } from './log-ring.js'

export interface LoggerOptions {
  /** Gets all lines as JSON. */
  readonly ring?: LogRing
  /** Stands in all lines: several workers share one log. */
  readonly worker?: number | undefined
}

/** How many characters of lines wait while they cannot be written. Not specified; chosen as some hundred lines. */
const mostWaiting = 65_536

/**
 * Logs on stderr: lines for people at a terminal, JSON lines elsewhere. On a full disk the last lines wait for the next one that
 * can be written; what is more is dropped, and counted.
 */
export async function createLogger(level: string, { ring, worker }: LoggerOptions = {}): Promise<Logger> {
  const options = { level, base: worker === undefined ? null : { worker } }
  const lines = pino.destination({ fd: 2, sync: true })
  const stream = process.stderr.isTTY
    ? (await import('pino-pretty')).PinoPretty({ destination: lines, ignore: 'time', singleLine: true })
    : lines
  let isFailing = false
  let waiting = 0
  let dropped = 0
  const both = {
    write(line: string) {
      const isDropped = isFailing && waiting + line.length > mostWaiting
      if (isDropped) dropped++
      else if (isFailing) waiting += line.length
      // Also without a new line those that wait are tried again.
      stream.write(isDropped ? '' : line)
      ring?.write(line)
    },
  }
  const logger = pino(options, both)
  lines
    .on('error', () => (isFailing = true))
    .on('drain', () => {
      const count = dropped
      isFailing = false
      waiting = dropped = 0
      if (count > 0) logger.warn(`${count} lines of the log could not be written, and are lost: is the disk full?`)
    })
  return logger
}

/**
 * From now on what cannot be printed, as on a full disk, is lost: a server keeps running, where the program of a command ends with
 * the error.
 */
export function bearUnwritableOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {})
}
