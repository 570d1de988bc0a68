import type { ManagerError } from '../../errors.js'
import { checkSaves } from '../backup/check-saves.js'
import { isFuture } from '../backup/retention.js'
import type { ManagerContext } from '../context.js'
import { isThrowAway } from '../domain/instance.js'
import { readManagerExports } from '../recovery/export-manager.js'
import { scheduleFindings } from './schedule-checks.js'
import { openOperations } from '../store/operation-rows.js'
import type { DoctorCheck, Finding } from './check.js'

export const backupChecks: readonly DoctorCheck[] = [
  {
    id: 'saves',
    category: 'backups',
    title: 'Instances in nightly backups have a good, recent backup, also at the targets',
    async run(context) {
      return (await checkSaves(context))
        .filter(({ problem }) => problem !== '')
        .map(({ name, problem, missing_at: missing }) => ({
          level: 'error',
          message: `"${name}": ${problem}`,
          help:
            `Back it up: manager save ${name}${missing.length > 0 ? ` --to ${missing.join(',')}` : ''}. ` +
            `To see why saveall did not: manager history ${name}`,
        }))
    },
  },
  {
    id: 'schedule',
    category: 'backups',
    title: 'Nightly backups are scheduled',
    async run(context) {
      if (context.registry.instances().some(({ autoSave }) => autoSave)) return scheduleFindings(context, 'saveall')
      return [{ level: 'ok', message: 'No instance is included in nightly backups' }]
    },
  },
  {
    id: 'damaged-backups',
    category: 'backups',
    title: 'No backup is damaged',
    async run({ backups }) {
      const [known, unreadable] = await Promise.all([backups.list(), backups.damaged()])
      const marked = known.flatMap(({ damage }) => damage ?? [])
      return [...marked, ...unreadable.map(({ message }) => message)].map((message) => ({
        level: 'warning',
        message,
        help: 'Verify it again with "backups verify", or remove its folder.',
      }))
    },
  },
  {
    id: 'future-backups',
    category: 'backups',
    title: 'No backup has a date in the future',
    async run({ backups, clock }) {
      return (await backups.list())
        .filter((backup) => isFuture(backup, clock()))
        .map(({ key, manifest }) => ({
          level: 'warning',
          message: `The backup ${key} has the date ${manifest.started}, which is in the future: a clock was wrong.`,
          help: 'It is kept and matches no rule. Check the clock (timedatectl), and remove its folder if you do not need it.',
        }))
    },
  },
  {
    id: 'proofs',
    category: 'backups',
    title: 'No temporary instances of test restores and rehearsals are left',
    async run({ registry }) {
      const open = openOperations(registry)
      return registry
        .instances()
        .filter((instance) => isThrowAway(instance) && !open.has(instance.operation))
        .map(({ name }) => ({
          level: 'warning',
          message: `"${name}" is left over from a test restore or a rehearsal. It is not listed.`,
          help: `Remove it: manager delete ${name} --force yes --purge`,
        }))
    },
  },
  {
    id: 'manager-copies',
    category: 'backups',
    title: 'Targets with backups have a recent copy of the registry and the settings',
    async run({ home, settings, targets, registry, clock }) {
      if (!registry.instances().some(({ autoSave }) => autoSave)) return []
      const exports = await readManagerExports(home)
      const oldest = clock().getTime() - settings.global.saveMaxAgeMs
      return targets.all.flatMap(({ name }): Finding[] => {
        const at = exports[name]?.at
        if (at !== undefined && Date.parse(at) >= oldest) return []
        const what = at === undefined ? 'has no copy of the registry and the settings' : `only has one of ${at}`
        return [{ level: 'warning', message: `Target "${name}" ${what}.`, help: 'Create one: manager saveall' }]
      })
    },
  },
  {
    id: 'target-settings',
    category: 'backups',
    title: 'Backup targets can be opened',
    async run({ targets }) {
      const findings = await Promise.all(targets.all.map(({ name }) => opening(targets, name)))
      return findings.flatMap((finding) => finding ?? [])
    },
  },
  {
    id: 'targets',
    category: 'backups',
    title: 'Backup targets can be reached',
    network: true,
    async run({ targets }) {
      const findings = await Promise.all(
        // One that cannot be opened is the finding of another check.
        targets.all.map(async ({ name }) => ((await opening(targets, name)) ? undefined : reach(targets, name))),
      )
      return findings.flatMap((finding) => finding ?? [])
    },
  },
]

/** What keeps a target from being opened: its settings, or its package. No connection is made. */
async function opening(targets: ManagerContext['targets'], name: string): Promise<Finding | undefined> {
  try {
    await (await targets.open(name)).close()
    return undefined
  } catch (error) {
    const { message, help = 'Correct its settings: manager config --all remote' } = error as ManagerError
    return { level: 'error', message, help }
  }
}

async function reach(targets: ManagerContext['targets'], name: string): Promise<Finding | undefined> {
  try {
    await targets.use(name, (target) => target.list({ limit: 1 }))
    return undefined
  } catch (error) {
    return { level: 'error', message: (error as Error).message, help: `For details: manager target test ${name}` }
  }
}
