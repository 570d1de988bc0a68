import { pino } from 'pino'
import type { Logger } from 'pino'
import type { LogRing } from './log-ring.js'

/** Logs on stderr: lines for people at a terminal, JSON lines elsewhere; and into a ring, as JSON. */
export async function createLogger(level: string, ring?: LogRing): Promise<Logger> {
  const stream = process.stderr.isTTY
    ? (await import('pino-pretty')).PinoPretty({ destination: 2, sync: true, ignore: 'time', singleLine: true })
    : pino.destination({ fd: 2, sync: true })
  if (!ring) return pino({ level, base: null }, stream)
  const both = {
    write(line: string) {
      stream.write(line)
      ring.write(line)
    },
  }
  return pino({ level, base: null }, both)
}
