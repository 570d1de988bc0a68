import type { Home } from '../domain/home.js'
import type { Settings } from '../settings/settings.js'
import { cronJobs } from './crontab.js'
import type { Job } from './jobs.js'
import { unitFolder, unitJobs } from './systemd.js'

/** What is scheduled of a home: in the crontab of its user, and as timers of the system or of the user. */
export async function scheduledJobs({
  home,
  settings,
}: {
  readonly home: Home
  readonly settings: Settings
}): Promise<readonly Job[]> {
  const { systemUser } = settings.global
  const user = process.getuid?.() === 0 && systemUser !== 'root' ? systemUser : undefined
  const folders = [true, false].map((isSystem) => unitFolder(isSystem, process.env))
  const found = await Promise.all([
    cronJobs(home.folder, { user }),
    ...folders.map((folder) => unitJobs(home.folder, folder)),
  ])
  return found.flat()
}
