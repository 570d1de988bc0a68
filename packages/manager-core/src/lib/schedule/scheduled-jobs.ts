import type { Home } from '../domain/home.js'
import type { Settings } from '../settings/settings.js'
import { cronJobs } from './crontab.js'
import type { FoundJob } from './jobs.js'
import { unitFolder, unitJobs } from './systemd.js'

export interface ScheduledJob extends FoundJob {
  readonly by: 'cron' | 'systemd'
}

/** What is scheduled of a home: in the crontab of its user, and as timers of the system or of the user. */
export async function scheduledJobs({
  home,
  settings,
}: {
  readonly home: Home
  readonly settings: Settings
}): Promise<readonly ScheduledJob[]> {
  const { systemUser } = settings.global
  const environment = settings.environment()
  const user = process.getuid?.() === 0 && systemUser !== 'root' ? systemUser : undefined
  const folders = [true, false].map((isSystem) => unitFolder(isSystem, environment))
  const [cron, ...units] = await Promise.all([
    cronJobs(home.folder, { user, environment }),
    ...folders.map((folder) => unitJobs(home.folder, folder)),
  ])
  return [
    ...cron.map((job) => ({ ...job, by: 'cron' as const })),
    ...units.flat().map((job) => ({ ...job, by: 'systemd' as const })),
  ]
}
