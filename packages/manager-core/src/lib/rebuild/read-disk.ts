import { readdir } from 'node:fs/promises'
import { foreignStats } from '../accounts/foreign.js'
import type { Manifest } from '../backup/backup.js'
import type { ManagerContext } from '../context.js'
import { isRunning } from '../domain/instance.js'
import { isInstanceId } from '../domain/names.js'
import { listTrash } from '../instances/trash.js'
import type { InstanceSettings } from '../settings/settings.js'
import { checkTemplate } from '../templates/check-template.js'

/** What is on this disk of an instance. */
export interface FoundInstance {
  readonly id: string
  /** Undefined: they are not there, or cannot be read. */
  readonly settings: InstanceSettings | undefined
  /** Runtimes by which it runs; one that has another do the work comes with that. */
  readonly runsAs: readonly string[]
  /** The manifest of its newest backup here; undefined: there is none. */
  readonly saved: Manifest | undefined
  /** When its application was put there, ISO 8601; empty: it is not there. */
  readonly installed: string
  /** Name of its application, as `app.yaml` says; undefined: that cannot be read. */
  readonly application: string | undefined
}

/** What the disk holds about instances, whatever the registry says. */
export interface DiskState {
  readonly instances: readonly FoundInstance[]
  /** Newest backup here by the id of its instance, also of instances that are gone. */
  readonly saved: ReadonlyMap<string, Manifest>
  /** Entries of the trash by the ids of deleted instances. */
  readonly trash: ReadonlyMap<string, string>
}

/** Nothing of it needs the registry. */
export async function readDisk(context: ManagerContext): Promise<DiskState> {
  const { home, backups } = context
  const saved = new Map<string, Manifest>()
  for (const { manifest } of await backups.list()) {
    const before = saved.get(manifest.instance.id)
    if (!before || before.started < manifest.started) saved.set(manifest.instance.id, manifest)
  }
  const names = (await readdir(home.instances).catch(() => [])).filter(isInstanceId)
  const instances: FoundInstance[] = []
  for (const id of names) instances.push(await look(context, id, saved.get(id)))
  const deleted = (await listTrash(home)).filter(({ reason }) => reason === 'delete')
  return { instances, saved, trash: new Map(deleted.map(({ instance, entry }) => [instance.id, entry])) }
}

async function look(
  { home, settings, runtimes }: ManagerContext,
  id: string,
  saved: Manifest | undefined,
): Promise<FoundInstance> {
  const { folder, app } = home.instance(id)
  const [own, states, title] = await Promise.all([
    settings.instance(folder).catch(() => undefined),
    Promise.all(runtimes.names.map((runtime) => runtimes.observe({ id, folder, runtime }))),
    checkTemplate(app).catch(() => undefined),
  ])
  const installed = foreignStats(app)?.mtime.toISOString() ?? ''
  const runsAs = runtimes.names.filter((_, index) => isRunning(states[index]?.state ?? 'unknown'))
  return { id, settings: own, runsAs, saved, installed, application: title?.name }
}
