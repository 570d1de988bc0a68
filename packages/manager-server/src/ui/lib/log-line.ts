import { logLevels, readLogEntry, type LogLevel } from '@steward/manager-core/logs'

export interface ReadableLine {
  readonly text: string
  readonly tone: 'bad' | 'warn' | ''
}

/** Levels from which on lines can be asked for. */
export const offeredLevels = ['info', 'warn', 'error'] as const satisfies LogLevel[]
export type OfferedLevel = (typeof offeredLevels)[number]

// Swedish dates are written as ISO 8601 has them, in every language alike.
const timestamp = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })

/** A line of a log as people read it: local time, level, what happened, and below it where an error came from. */
export function readableLine(line: string): ReadableLine {
  const { time, level, text, details } = readLogEntry(line)
  const head = [...(time === undefined ? [] : [timestamp.format(time)]), ...(level ? [level.toUpperCase()] : []), text]
  return {
    text: [head.join(' '), ...details.map((detail) => `    ${detail}`)].join('\n'),
    tone: level === undefined ? toneOfText(text) : toneOfLevel(level),
  }
}

function toneOfLevel(level: LogLevel): ReadableLine['tone'] {
  const rank = logLevels.indexOf(level)
  return rank >= logLevels.indexOf('error') ? 'bad' : level === 'warn' ? 'warn' : ''
}

/** For lines that do not say their level. */
function toneOfText(text: string): ReadableLine['tone'] {
  return /\b(error|fatal|exception)\b/i.test(text) ? 'bad' : /\bwarn(ing)?\b/i.test(text) ? 'warn' : ''
}
