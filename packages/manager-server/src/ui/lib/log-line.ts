const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

/** They say the same in each line. */
const leftOut = new Set(['time', 'level', 'msg', 'pid', 'hostname', 'v'])

/**
 * A line of a log as people read it: those that are JSON, as the application server writes them, as time, level, message
 * and the rest. Other lines stay as they are.
 */
export function readableLine(line: string): string {
  if (!line.startsWith('{')) return line
  let entry: Readonly<Record<string, unknown>>
  try {
    entry = JSON.parse(line) as typeof entry
  } catch {
    return line
  }
  const { time, level, msg } = entry
  if (typeof time !== 'number' || typeof level !== 'number' || Number.isNaN(new Date(time).getTime())) return line
  const rest = Object.entries(entry)
    .filter(([key]) => !leftOut.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return [
    new Date(time).toISOString(),
    levels[level] ?? String(level),
    ...(typeof msg === 'string' ? [msg] : []),
    ...rest,
  ].join(' ')
}
