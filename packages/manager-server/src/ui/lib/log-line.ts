import { logLevels, readLogEntry, type LogEntry, type LogLevel } from '@steward/manager-core/logs'

/** How grave lines are, as they are told apart here; `other` does not say, as the output of a program. */
export const lineLevels = ['error', 'warn', 'info', 'debug', 'other'] as const
export type LineLevel = (typeof lineLevels)[number]

export interface ReadableLine extends Pick<LogEntry, 'time' | 'message' | 'fields' | 'details'> {
  readonly level: LineLevel
  /** Local time with milliseconds; empty: it has none. */
  readonly clock: string
  /** All that it says in lower case, to be searched. */
  readonly searched: string
}

const clockOf = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', hourCycle: 'h23' })

/** A line of a log as people read it. */
export function readableLine(line: string): ReadableLine {
  const { time, level, message, fields, details } = readLogEntry(line)
  const clock = time === undefined ? '' : `${clockOf.format(time)}.${String(time % 1000).padStart(3, '0')}`
  const texts = [clock, level ?? '', message, ...fields.map(([name, value]) => `${name}=${value}`), ...details]
  return {
    time,
    message,
    fields,
    details,
    clock,
    level: level === undefined ? levelOfText(message) : lineLevelOf(level),
    searched: texts.join('\n').toLowerCase(),
  }
}

function lineLevelOf(level: LogLevel): LineLevel {
  if (level === 'fatal') return 'error'
  return level === 'trace' ? 'debug' : level
}

/** For lines that do not say their level. */
function levelOfText(text: string): LineLevel {
  if (/\b(error|fatal|exception)\b/i.test(text)) return 'error'
  return /\bwarn(ing)?\b/i.test(text) ? 'warn' : 'other'
}

/**
 * From which level on lines have to be asked for, so that all are there that are wanted; undefined: all lines.
 *
 * @param wanted empty: all
 */
export function leastLevel(wanted: ReadonlySet<LineLevel>): LogLevel | undefined {
  const isGrave = wanted.size > 0 && [...wanted].every((level) => level === 'error' || level === 'warn')
  return isGrave ? logLevels.find((level) => (wanted as ReadonlySet<string>).has(level)) : undefined
}
