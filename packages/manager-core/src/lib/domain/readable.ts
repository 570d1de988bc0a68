const sizes = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `9.8 kB`, `1.4 MB`, `12 GB`: in steps of 1000, as disks are sold and the pages count. */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  // What would be rounded to 1000 is one of the next unit.
  while (value >= 999.5 && unit < sizes.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : trimmed(value)} ${sizes[unit]}`
}

/** `850 ms`, `1.5 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h` */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${ms < 9.95 ? trimmed(ms) : Math.round(ms)} ms`
  if (ms < 9950) return `${trimmed(ms / 1000)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return pair(seconds, 60, 'min', 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return pair(minutes, 60, 'h', 'min')
  return pair(Math.round(minutes / 60), 24, 'd', 'h')
}

/** With one digit after the point, if it is not 0. */
function trimmed(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function pair(count: number, per: number, large: string, small: string): string {
  const rest = count % per
  return `${Math.floor(count / per)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`
}

/** `1 backup`, `3 backups`; for nouns that only take an "s". */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
