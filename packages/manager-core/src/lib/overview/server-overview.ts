import { statfs } from 'node:fs/promises'
import { checkSaves } from '../backup/check-saves.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import type { Json } from '../domain/json.js'
import { overviews } from './overview.js'

/** One look at all instances and at the machine. */
export async function serverOverview(context: ManagerContext, instances: readonly Instance[]) {
  const known = overviews(context, instances)
  const withA = (key: 'update' | 'attention') =>
    instances.filter(({ id }) => known.get(id)?.[key]).map(({ name }) => name)
  const [saves, free] = await Promise.all([checkSaves(context).catch(() => []), freeBytes(context.home.folder)])
  const ids = new Set(instances.map(({ name }) => name))
  return {
    home: context.home.folder,
    url: context.settings.global.baseUrl,
    server: isServed(context) ? 'running' : 'not running',
    node: process.version,
    free_bytes: free,
    instances: instances.length,
    states: countBy(instances.map(({ observed }) => observed)),
    needs_attention: withA('attention'),
    updates_available: withA('update'),
    without_recent_backup: saves.filter(({ name, problem }) => problem !== '' && ids.has(name)).map(({ name }) => name),
    not_saved_automatically: instances.filter(({ autoSave }) => !autoSave).map(({ name }) => name),
  } satisfies Record<string, Json>
}

/** The server of this home monitors instances, unless another one of the same home does. */
function isServed({ locks }: ManagerContext): boolean {
  const lock = locks.tryAcquire(['monitoring'], `a look by process ${process.pid}`)
  lock?.release()
  return lock === undefined
}

async function freeBytes(folder: string): Promise<number | null> {
  const space = await statfs(folder).catch(() => undefined)
  return space ? space.bavail * space.bsize : null
}

function countBy(words: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]))
}
