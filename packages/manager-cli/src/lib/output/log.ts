import { readLogEntry, type LogLevel } from '@steward/manager-core/logs'
import type { Paint } from './paint.js'
import { printable } from './text.js'
import type { Times } from './times.js'

const colors = {
  trace: 'dim',
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
} as const satisfies Record<LogLevel, string>

/** A line of a log: time, level, what happened, and below it where an error came from. Others are shown as they are. */
export function logLine(line: string, { times, paint }: { readonly times: Times; readonly paint: Paint }): string {
  const { time, level, text, details } = readLogEntry(line)
  const isGrave = level === 'error' || level === 'fatal'
  const head = [
    ...(time === undefined ? [] : [paint('dim', times.line(time))]),
    ...(level === undefined ? [] : [paint(colors[level], level.toUpperCase().padEnd(5))]),
    isGrave ? paint('red', printable(text)) : printable(text),
  ].join(' ')
  return [head, ...details.map((detail) => paint('dim', `    ${printable(detail)}`))].join('\n')
}
