import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { ManagerContext } from '../context.js'
import { isThrowAway, type Instance } from '../domain/instance.js'
import { defaultTimes, type JobName } from '../schedule/jobs.js'
import { scheduledJobs, type ScheduledJob } from '../schedule/scheduled-jobs.js'

export interface ScheduleProblem {
  readonly what: 'program' | 'saveall' | 'startall'
  readonly level: 'warning' | 'error'
  readonly message: string
  readonly help: string
}

/** What is not done unattended although it should be. */
export async function scheduleProblems(context: ManagerContext): Promise<readonly ScheduleProblem[]> {
  const jobs = await scheduledJobs(context)
  const instances = context.registry.instances().filter((one) => !isThrowAway(one))
  const saved = instances.filter(({ autoSave }) => autoSave).length
  const started = instances.filter((one) => one.desired === 'started' && needsStartAll(context, one)).length
  const lacks = (name: JobName) => !jobs.some((job) => job.name === name)
  return [
    ...gonePrograms(jobs),
    ...(saved > 0 && lacks('saveall')
      ? [missing('saveall', jobs, `although instances are included in nightly backups (${saved})`)]
      : []),
    ...(started > 0 && lacks('startall')
      ? [missing('startall', jobs, `so instances that run now (${started}) stay down after a reboot`)]
      : []),
  ]
}

/** Whether it only runs after a boot when something starts it; no for one whose runtime is not there. */
function needsStartAll({ runtimes }: ManagerContext, instance: Instance): boolean {
  try {
    return !runtimes.of(instance).capabilities.bootStart
  } catch {
    return false
  }
}

/** A Node that was updated may be in another folder; then no line runs, and none says so. */
function gonePrograms(jobs: readonly ScheduledJob[]): readonly ScheduleProblem[] {
  return [...Map.groupBy(jobs, ({ by }) => by)].flatMap(([by, own]): readonly ScheduleProblem[] => {
    const gone = new Set(own.flatMap(({ program }) => program.filter((word) => isAbsolute(word) && !existsSync(word))))
    if (gone.size === 0) return []
    const files = [...gone].join(', ')
    return [
      {
        what: 'program',
        level: 'error',
        message: `Nothing that is scheduled can run (${own.map(({ name }) => name).join(', ')}): ${files} no longer exists.`,
        help: `Schedule it again with the current program; times stay: ${installBy(by)}`,
      },
    ]
  })
}

function missing(what: 'saveall' | 'startall', jobs: readonly ScheduledJob[], why: string): ScheduleProblem {
  const by = jobs[0]?.by ?? 'cron'
  const added = jobs.length === 0 ? '' : ` --${what} ${defaultTimes[what]}`
  return {
    what,
    level: 'warning',
    message: `${what} is not scheduled, ${why}.`,
    help: `Schedule it: ${installBy(by)}${added}. Ignore this if another scheduler calls ${what}.`,
  }
}

function installBy(by: ScheduledJob['by']): string {
  return `manager schedule install${by === 'systemd' ? ' --systemd' : ''}`
}
