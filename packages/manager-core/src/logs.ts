export { withVisibleDirections } from './lib/logs/directions.js'
export { logLevels, readLogEntry } from './lib/logs/read-log-entry.js'
export type { LogEntry, LogLevel } from './lib/logs/read-log-entry.js'
