import { statSync } from 'node:fs'
import { join } from 'node:path'
import { foreignStats, readForeignFolder } from '../accounts/foreign.js'
import type { Backup } from '../backup/backup.js'
import { newestFirst } from '../backup/choose-backup.js'
import { storedBytes } from '../backup/manifest.js'
import { believedTime } from '../history/believed-time.js'
import { listTrash } from '../instances/trash.js'
import { examineBackups } from '../backup/prune.js'
import type { ManagerContext } from '../context.js'
import { sizeText } from '../domain/readable.js'
import { folderSize } from '../files/folder-size.js'
import { freeBytes } from '../store/reserve.js'
import { sizeOfPoints } from '../upgrade/restore-points.js'

/** Something on a disk that could go. */
export interface Freeable {
  /** For people: `the trash`. */
  readonly what: string
  readonly bytes: number
  /** What frees it: a command of the manager without its name, or of the system. */
  readonly command: string
}

/** A file system on which the manager writes. */
export interface DiskSurvey {
  /** One of its folders there. */
  readonly folder: string
  /** In bytes, for this user. */
  readonly free: number
  /** The largest first; only what has any bytes. */
  readonly freeable: readonly Freeable[]
}

type Context = Pick<ManagerContext, 'home' | 'settings'>

/** Folders that the manager writes to, one of each file system. */
export function diskFolders({ home, settings }: Context): readonly string[] {
  const folders = new Map<number, string>()
  const { saveFolder, saveAllFolder } = settings.global
  for (const folder of [home.folder, saveFolder, saveAllFolder]) {
    const device = statSync(folder, { throwIfNoEntry: false })?.dev
    if (device !== undefined && !folders.has(device)) folders.set(device, folder)
  }
  return [...folders.values()]
}

const dayBefore = (time: Date) => new Date(time.getTime() - 86_400_000)

/** What could be freed on the disk of a folder. It needs no room, and nothing that cannot be read is counted. */
export async function surveyDisk(context: ManagerContext, folder: string): Promise<DiskSurvey> {
  const { home, settings, registry } = context
  const device = statSync(folder).dev
  const isThere = (path: string) => statSync(path, { throwIfNoEntry: false })?.dev === device
  const { saveFolder, saveAllFolder } = settings.global
  const found: Freeable[] = []
  const add = (what: string, bytes: number, command: string) => {
    if (bytes > 0) found.push({ what, bytes, command })
  }
  if (isThere(home.folder)) {
    // What was deleted or replaced today may be missed tomorrow: no advice removes it.
    const before = dayBefore(believedTime(context))
    const old = (await listTrash(home).catch(() => [])).filter(({ deleted }) => deleted < before.toISOString())
    const sizes = await Promise.all(old.map((entry) => folderSize(entry.folder)))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    const recent = (await folderSize(home.trash)) - bytes
    add('the trash, except the last day', bytes, 'manager purge --all --days 1')
    add('what was deleted or replaced in the last day, if it is not needed', recent, 'manager trash')
    let [points, logs] = [0, 0]
    for (const { id } of registry.instances()) {
      points += await sizeOfPoints(home.instance(id).folder, before).catch(() => 0)
      logs += await rotatedLogs(home.instance(id).logs)
    }
    add('restore points of upgrades, except the last day', points, 'manager purge --all --restore-points --days 1')
    add('old logs of instances', logs, `rm ${home.instances}/*/logs/*.log.[0-9]*`)
    add('logs of the schedule', await folderSize(home.logs), `truncate -s 0 ${home.logs}/*.log`)
  }
  if ([saveFolder, saveAllFolder].some(isThere)) {
    const verdicts = await examineBackups(context).catch(() => [])
    const size = (all: readonly Pick<Backup, 'manifest'>[]) =>
      all.reduce((sum, { manifest }) => sum + storedBytes(manifest.files), 0)
    const gone = verdicts.filter(({ keep }) => !keep).map(({ backup }) => backup)
    add('backups that no rule keeps', size(gone), 'manager backups prune')
    const kept = verdicts.filter(({ keep }) => keep).map(({ backup }) => backup)
    const older = [...Map.groupBy(kept, ({ manifest }) => manifest.instance.id).values()].flatMap((all) =>
      newestFirst(all).slice(1),
    )
    add('older backups', size(older), 'manager backups prune, after APPS_KEEP_LAST=1 in config.sh')
  }
  return { folder, free: freeBytes(folder), freeable: found.toSorted((a, b) => b.bytes - a.bytes) }
}

/** One sentence, or two: what is full, and what frees how much. */
export function surveyText({ folder, free, freeable }: DiskSurvey): string {
  const what =
    freeable.length === 0
      ? 'The manager has nothing there that can be deleted.'
      : 'Can be deleted: ' +
        `${freeable.map(({ what: name, bytes, command }) => `${name}, ${sizeText(bytes)} (${command})`).join('; ')}.`
  return `The disk of ${folder} has ${sizeText(free)} free. ${what}`
}

async function rotatedLogs(folder: string): Promise<number> {
  const names = (await readForeignFolder(folder).catch(() => [])).filter((name) => /\.log\.\d+/.test(name))
  let bytes = 0
  for (const name of names) bytes += foreignStats(join(folder, name))?.size ?? 0
  return bytes
}
