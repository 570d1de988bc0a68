import { pino } from 'pino'
import type { Logger } from 'pino'
import { PinoPretty } from 'pino-pretty'

/** Logs on stderr: lines for people at a terminal, JSON lines elsewhere. */
export function createLogger(level: string): Logger {
  const stream = process.stderr.isTTY
    ? PinoPretty({ destination: 2, sync: true, ignore: 'time', singleLine: true })
    : pino.destination({ fd: 2, sync: true })
  return pino({ level, base: null }, stream)
}
