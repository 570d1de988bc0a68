import { sqlite, type Queryable } from './sqlite.js'

/** What the clock showed at the last command that changed something. Times in ms since the Unix epoch. */
export interface ClockSeen {
  readonly wall: number
  /** The same, without a leap that is in doubt. */
  readonly believed: number
  /** How long the machine had been running then, in seconds, and since which boot. */
  readonly uptime: number
  readonly boot: string
  /** When the clock leapt; null: it is believed. */
  readonly doubted: number | null
}

export interface ClockRow {
  get(): ClockSeen | undefined
  set(seen: ClockSeen): void
}

export function createClockRow({ [sqlite]: database }: Queryable): ClockRow {
  return {
    get: () =>
      database.prepare('select wall, believed, uptime, boot, doubted from clock_seen').get() as ClockSeen | undefined,
    set({ wall, believed, uptime, boot, doubted }) {
      database
        .prepare(
          'insert or replace into clock_seen (one, wall, believed, uptime, boot, doubted) values (1, ?, ?, ?, ?, ?)',
        )
        .run(wall, believed, uptime, boot, doubted)
    },
  }
}
