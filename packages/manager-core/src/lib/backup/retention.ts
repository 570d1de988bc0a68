import { lastPart, nameIn, newestFirst } from './choose-backup.js'

const dayMs = 24 * 60 * 60 * 1000

/**
 * What is kept; 0: that rule is not set. Source: docs/spec/instances-manager.md, "Limits", for the first one; the
 * others are additions.
 */
export interface RetentionRules {
  /** APPS_SAVE_DIR_DEPTH: those that are younger than that many days. */
  readonly depthDays: number
  /** APPS_KEEP_LAST: that many of the newest. */
  readonly last: number
  /** APPS_KEEP_DAILY, …: the newest of each of that many days, weeks (from Monday) and months that have one, local time. */
  readonly daily: number
  readonly weekly: number
  readonly monthly: number
}

/** What a rule has to know of a backup. */
export interface RetentionCandidate {
  /** See `Backup.key`. */
  readonly key: string
  /** When it was started, and whose it is, as it says itself. */
  readonly manifest: { readonly started: string; readonly instance: { readonly id: string } }
  /** What is wrong with it; undefined: nothing. */
  readonly damage?: string | undefined
  /** Whether it was proved; anything. */
  readonly proved?: unknown
  /** Why it must stay whatever rules say: `it is not at "s3" yet`. */
  readonly needed?: string | undefined
}

export interface Verdict<Candidate> {
  readonly backup: Candidate
  readonly keep: boolean
  /** Half a sentence: `younger than 14 days`. */
  readonly reason: string
}

/**
 * Says for each backup of an instance whether it is kept, and why; newest first. One rule that wants it is enough. Without
 * any rule all are kept, and so are all while none is known to be good. The newest good one and the newest good one that
 * was proved are always kept. Those that are damaged do not count for any rule: they are kept for the days of the depth,
 * and while nothing newer is good. Those from the future (a clock was wrong) are kept and count for no rule.
 */
export function retain<Candidate extends RetentionCandidate>(
  backups: readonly Candidate[],
  rules: RetentionRules,
  now: Date,
): readonly Verdict<Candidate>[] {
  const sorted = newestFirst(backups)
  const good = sorted.filter((one) => one.damage === undefined && !Number.isNaN(madeAt(one)) && !isFuture(one, now))
  const reasonOf = reasonsFor(good, rules, now)
  return sorted.map((backup) => {
    const reason = backup.needed ?? reasonOf(backup)
    if (reason !== undefined) return { backup, keep: true, reason }
    return { backup, keep: false, reason: backup.damage === undefined ? 'no rule keeps it' : 'it is damaged' }
  })
}

/** Not specified; chosen: clocks differ by less. */
const toleranceMs = dayMs

/** Whether a backup says that it was made later than now. */
export function isFuture({ manifest }: Pick<RetentionCandidate, 'manifest'>, now: Date): boolean {
  return isFutureTime(Date.parse(manifest.started), now)
}

/** @param made ms since the Unix epoch */
export function isFutureTime(made: number, now: Date): boolean {
  return made - now.getTime() > toleranceMs
}

/** The same of backups of several instances, whatever they were called, in the order of their newest names. */
export function retainByInstance<Candidate extends RetentionCandidate>(
  backups: readonly Candidate[],
  rules: RetentionRules,
  now: Date,
): readonly Verdict<Candidate>[] {
  const groups = [...Map.groupBy(backups, ({ manifest }) => manifest.instance.id).values()]
  const nameOf = (group: readonly Candidate[]) => nameIn(newestFirst(group)[0]?.key ?? '').toLowerCase()
  return groups
    .toSorted((a, b) => compare(nameOf(a), nameOf(b)))
    .flatMap((ofInstance) => retain(ofInstance, rules, now))
}

/** Why one is kept; undefined: it is not. */
function reasonsFor(good: readonly RetentionCandidate[], rules: RetentionRules, now: Date) {
  const newest = good[0]
  const { depthDays, ...counts } = rules
  if (depthDays === 0 && Object.values(counts).every((count) => count === 0)) return () => 'no rule is set'
  if (!newest) return () => 'no good backup is known'
  const wanted = [
    reasons([newest], () => 'the latest good backup'),
    reasons(good.filter(({ proved }) => proved !== undefined).slice(0, 1), () => 'the latest with a test restore'),
    reasons(good.slice(0, counts.last), () => `one of the last ${counts.last}`),
    reasons(newestOfEach(good, counts.daily, dayOf), (one) => `the last of ${dayOf(one)}`),
    reasons(newestOfEach(good, counts.weekly, weekOf), (one) => `the last of the week from ${weekOf(one)}`),
    reasons(newestOfEach(good, counts.monthly, monthOf), (one) => `the last of ${monthOf(one)}`),
  ]
  return (one: RetentionCandidate): string | undefined => {
    const { key, damage } = one
    if (Number.isNaN(madeAt(one))) return 'its date cannot be read'
    if (isFuture(one, now)) return 'its date is in the future'
    if (depthDays > 0 && now.getTime() - madeAt(one) <= depthDays * dayMs) return `younger than ${depthDays} days`
    if (damage === undefined) return wanted.find((each) => each.has(key))?.get(key)
    return lastPart(key) > lastPart(newest.key) ? 'it is damaged, but there is no newer good backup' : undefined
  }
}

function reasons(
  kept: readonly RetentionCandidate[],
  textOf: (one: RetentionCandidate) => string,
): ReadonlyMap<string, string> {
  return new Map(kept.map((one) => [one.key, textOf(one)]))
}

/** @param backups newest first */
function newestOfEach(
  backups: readonly RetentionCandidate[],
  count: number,
  periodOf: (one: RetentionCandidate) => string,
): readonly RetentionCandidate[] {
  const found = new Map<string, RetentionCandidate>()
  for (const backup of backups) {
    const period = periodOf(backup)
    if (!found.has(period) && found.size < count) found.set(period, backup)
  }
  return [...found.values()]
}

const madeAt = ({ manifest }: RetentionCandidate) => Date.parse(manifest.started)
const dayOf = (one: RetentionCandidate) => textOf(new Date(madeAt(one)))
const monthOf = (one: RetentionCandidate) => dayOf(one).slice(0, 7)

/** Its Monday. */
function weekOf(one: RetentionCandidate): string {
  const day = new Date(madeAt(one))
  return textOf(new Date(day.getFullYear(), day.getMonth(), day.getDate() - ((day.getDay() + 6) % 7)))
}

/** `2026-11-21`, local. */
function textOf(day: Date): string {
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${day.getFullYear()}-${month}-${date}`
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
