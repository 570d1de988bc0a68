import { ManagerError } from '../../errors.js'

const lengths = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * A moment in the past as people write it: `10m` ago, `14:03` local time, `2026-11-20`, `2026-11-20T00:00:00Z`.
 *
 * @returns ms since the Unix epoch
 * @throws ManagerError ERR_USAGE
 */
export function readMoment(text: string, now: Date): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return now.getTime() - Number(count) * lengths[unit as keyof typeof lengths]
  const moment = momentOf(text, now)
  if (!Number.isNaN(moment)) return moment
  throw new ManagerError('ERR_USAGE', `"${text.slice(0, 40)}" is not a valid time.`, {
    help: 'Use a duration (90s, 10m, 2h, 3d), a time (14:03), a date (2026-11-20), or both (2026-11-20T14:03).',
  })
}

function momentOf(text: string, now: Date): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? []
  if (hours !== undefined) {
    if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
    const day = new Date(now).setHours(Number(hours), Number(minutes), 0, 0)
    // A time that is still to come was yesterday.
    return day > now.getTime() ? new Date(day).setDate(new Date(day).getDate() - 1) : day
  }
  // A date alone would be taken as one in UTC.
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Date.parse(`${text}T00:00`)
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN
}
