import { createClockRow, type ClockSeen } from '../store/clock-row.js'
import type { Registry } from '../store/registry.js'
import type { Uptime } from '../system/uptime.js'

export interface ClockContext {
  readonly registry: Registry
  readonly clock: () => Date
  readonly uptime: () => Uptime
}

const dayMs = 24 * 60 * 60 * 1000

/** More than this since the last command, while the machine did not run, is a leap. Not specified; chosen as a week. */
const leapMs = 7 * dayMs

/** How long a clock that leapt must run on before it is believed. Not specified; chosen so that a week-end is bridged. */
const trustAfterMs = 3 * dayMs

/** What is written again at the latest, in ms: each command would be a write otherwise. */
const noteEveryMs = 3_600_000

/**
 * The time by which things are old enough to be removed. It is that of the clock, unless that leapt ahead of the last
 * command by more than the machine can have been off: then it is the time before, and how long the machine ran since.
 */
export function believedTime(context: ClockContext): Date {
  const seen = createClockRow(context.registry).get()
  const now = context.clock()
  if (seen === undefined || seen.doubted === null) return now
  return new Date(Math.min(now.getTime(), seen.believed + ranSince(seen, context.uptime())))
}

/** Notes what the clock shows, for a command that changes something. */
export function noteClock(context: ClockContext): void {
  const { registry, clock, uptime } = context
  const row = createClockRow(registry)
  const seen = row.get() ?? fromHistory(context)
  const up = uptime()
  const now = clock().getTime()
  const ran = seen ? ranSince(seen, up) : 0
  const doubted = seen ? doubtedAt(seen, now, ran) : null
  const believed = seen && doubted !== null ? Math.min(now, seen.believed + ran) : now
  const isNews = !row.get() || doubted !== seen?.doubted || Math.abs(now - seen.wall) >= noteEveryMs
  if (isNews) registry.transaction(() => row.set({ wall: now, believed, uptime: up.seconds, boot: up.boot, doubted }))
}

/** Why ages are not counted by the clock, in a sentence; undefined: they are. */
export function clockDoubt(context: ClockContext): string | undefined {
  const seen = createClockRow(context.registry).get()
  if (seen === undefined || seen.doubted === null) return undefined
  const [now, believed] = [context.clock(), believedTime(context)]
  if (isSetBack(seen.doubted, now.getTime())) return undefined
  const days = Math.round((now.getTime() - believed.getTime()) / dayMs)
  const until = new Date(seen.doubted + trustAfterMs).toISOString().slice(0, 16)
  return (
    `The clock shows ${now.toISOString().slice(0, 16)}Z, ${days} days ahead of the last command. ` +
    `Nothing is removed for its age before ${until}Z.`
  )
}

/** The first command of a manager that notes the clock compares it with what the last one wrote. */
function fromHistory({ registry }: ClockContext): ClockSeen | undefined {
  const [last] = registry.history({ limit: 1 })
  const wall = last ? Date.parse(last.at) : Number.NaN
  return Number.isNaN(wall) ? undefined : { wall, believed: wall, uptime: 0, boot: '', doubted: null }
}

function doubtedAt({ wall, doubted }: ClockSeen, now: number, ran: number): number | null {
  if (now - wall - ran > leapMs) return now
  if (doubted === null) return null
  return isSetBack(doubted, now) || now - doubted >= trustAfterMs ? null : doubted
}

/** The clock that leapt was corrected; the next command that changes something notes it. */
function isSetBack(doubted: number, now: number): boolean {
  return now < doubted - dayMs
}

/** At least how long the machine has been running since, in ms. */
function ranSince({ boot, uptime }: ClockSeen, up: Uptime): number {
  return Math.max(0, up.boot === boot ? up.seconds - uptime : up.seconds) * 1000
}
