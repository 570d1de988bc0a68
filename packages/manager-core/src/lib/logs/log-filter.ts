import { logLevels, readLogEntry, type LogLevel } from './read-log-entry.js'

export interface LogFilter {
  /** From this level on. */
  readonly level?: LogLevel | undefined
  /** Not older, in ms since the Unix epoch. */
  readonly since?: number | undefined
  /** They hold this text, in the line as it was written or as it is shown, without regard to case. */
  readonly text?: string | undefined
  /** Also the manager's own health checks. */
  readonly healthChecks?: boolean | undefined
}

/**
 * Whether a line is wanted; asked of line after line, in their order: one that has no time goes by the line before it,
 * and one without a level, as those of a crash, is wanted at any.
 */
export function createLogFilter({ level, since, text, healthChecks = false }: LogFilter): (line: string) => boolean {
  const least = level === undefined ? 0 : logLevels.indexOf(level)
  const wanted = text?.toLowerCase()
  let isRecent = true
  return (line) => {
    const entry = readLogEntry(line)
    if (entry.time !== undefined && since !== undefined) isRecent = entry.time >= since
    if (!isRecent || (entry.isHealthCheck && !healthChecks)) return false
    if (entry.level !== undefined && logLevels.indexOf(entry.level) < least) return false
    return wanted === undefined || `${line}\n${entry.text}`.toLowerCase().includes(wanted)
  }
}
