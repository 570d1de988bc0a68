import { dirname } from 'node:path'
import { ManagerError } from '../../errors.js'

/** What is done without being asked, by the name of its action. */
export const jobNames = ['refresh', 'upgradeall', 'saveall', 'checksaves', 'qualityall', 'startall'] as const
export type JobName = (typeof jobNames)[number]

/** `HH:MM` local time of every day, or when the machine has started. */
export type JobTime = string

export interface Job {
  readonly name: JobName
  readonly time: JobTime
}

/** A job as a crontab or units have it. */
export interface FoundJob extends Job {
  /** What performs it: paths, and whatever else is before the name of the job. */
  readonly program: readonly string[]
}

/**
 * Source: docs/spec/wire-decisions.md, "cron defaults". Additions: `checksaves`, for a save that did not even start,
 * when a recipient is there; `qualityall`, for those who ask for it; `startall`, so that instances run again after a
 * reboot.
 */
export const defaultTimes: Readonly<Record<JobName, JobTime>> = {
  refresh: '02:30',
  upgradeall: '03:00',
  saveall: '04:00',
  checksaves: '08:00',
  qualityall: 'off',
  startall: 'boot',
}

/** Those that do nothing outside of APPS_WINDOW. */
export const jobsInWindow: ReadonlySet<JobName> = new Set(['upgradeall', 'saveall', 'qualityall'])

/** What runs the jobs of a home, and as whom. */
export interface JobRunner {
  readonly home: string
  /** The program that performs actions, absolute, with its first arguments. */
  readonly command: readonly string[]
  /** Where its output is appended. */
  readonly log: string
}

/** How long a job waits for the one before it, in seconds. */
const waitSeconds = 3600

/** Program and arguments of a job. Nothing secret is in it. */
export function argumentsOf(job: JobName, { command, home }: JobRunner): readonly string[] {
  return [...command, job, '--home', home, `--wait=${waitSeconds}`]
}

/** Timers know neither the caller's `PATH` nor where a Node of its own is. */
export function environmentOf({ command }: JobRunner): Readonly<Record<string, string>> {
  const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
  const path = new Set([dirname(command[0] as string), ...folders])
  return { PATH: [...path].join(':'), STEWARD_SURFACE: 'schedule' }
}

/**
 * @param times by job: `HH:MM`, `boot`, or `off` for a job that is not wanted; absent: as it is scheduled.
 * @param scheduled what is scheduled now; where that is nothing, defaults are used.
 * @throws ManagerError ERR_USAGE
 */
export function jobsAt(
  times: Readonly<Partial<Record<JobName, string>>>,
  scheduled: readonly Job[] = [],
): readonly Job[] {
  const now = new Map(scheduled.map(({ name, time }) => [name, time]))
  return jobNames.flatMap((name) => {
    const time = times[name] ?? (now.size === 0 ? defaultTimes[name] : (now.get(name) ?? 'off'))
    if (time === 'off') return []
    if (time !== 'boot' && !/^([01]\d|2[0-3]):[0-5]\d$/.test(time))
      throw new ManagerError('ERR_USAGE', `"${time}" is not a valid time for ${name}.`, {
        help: 'Use HH:MM (e.g. 02:30), "boot" to run at startup, or "off".',
      })
    return [{ name, time }]
  })
}
