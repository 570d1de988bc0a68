/** How points in time are shown to people. All take ISO 8601 or ms since the Unix epoch. */
export interface Times {
  /** `today 14:03`, `2026-11-20 14:03`, for cells of tables. */
  short(at: string | number): string
  /** `today 14:03:21 (+01:00)`, for values that stand alone. */
  long(at: string | number): string
  /** `2026-11-20 14:03:21`, for lines below each other. */
  line(at: string | number): string
  /** For programs: times are ISO 8601, and numbers have no units. */
  readonly isPlain?: boolean
}

export interface TimesOptions {
  /** A name of IANA. Default: the system's, which TZ sets. */
  readonly timeZone?: string | undefined
  readonly now?: Date
}

const dayMs = 86_400_000

/** A sentence with the times in it as people read them; not those of `key=value`, which are for programs. */
export function timesIn(text: string, { short }: Times): string {
  return text.replaceAll(/(?<![\w="/:-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?![\w/])/g, (at) => short(at))
}

/** For a pipe or a file, whose reader may be a program: ISO 8601, as in JSON. */
export const plainTimes: Times = { short: isoOf, long: isoOf, line: isoOf, isPlain: true }

function isoOf(at: string | number): string {
  return typeof at === 'string' ? at : new Date(at).toISOString()
}

export function createTimes({ timeZone, now = new Date() }: TimesOptions = {}): Times {
  // Swedish dates are written as ISO 8601 has them.
  const whole = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const zones = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const isUtc = whole.resolvedOptions().timeZone === 'UTC'
  const line = (at: string | number) => whole.format(new Date(at))
  const dayOf = (text: string) => text.slice(0, 10)
  const [today, yesterday] = [0, dayMs].map((ago) => dayOf(line(now.getTime() - ago)))
  const near = (text: string) => {
    const day = dayOf(text)
    return (day === today ? 'today' : day === yesterday ? 'yesterday' : day) + text.slice(10)
  }
  const zoneOf = (at: string | number) => {
    const zone = zones.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    return isUtc ? 'UTC' : zone === 'GMT' ? '+00:00' : zone.replace('GMT', '')
  }
  return {
    line,
    short: (at) => near(line(at)).slice(0, -':00'.length),
    long: (at) => `${near(line(at))} (${zoneOf(at)})`,
  }
}
