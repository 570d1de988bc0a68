import pLimit from 'p-limit'
import { servingCopy } from '../copies.js'
import type { InstanceRef, Usage } from '../runtime.js'
import type { ContainerEngine } from './engine.js'
import type { FoundContainer } from './look.js'
import { containerName } from './names.js'

/** So many containers are asked about at a time. */
const atATime = 10

interface Stats {
  readonly memory_stats: { readonly usage?: number; readonly stats?: Readonly<Record<string, number>> }
  readonly cpu_stats: { readonly cpu_usage: { readonly total_usage: number } }
}

/** What the containers of these instances use, of those that run. @param running their names */
export async function usageOf(
  engine: ContainerEngine,
  refs: readonly InstanceRef[],
  running: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Usage>> {
  const limit = pLimit(atATime)
  const named = refs.map((ref) => [ref.id, containerName(ref, ref.copy ?? servingCopy(ref.folder))] as const)
  const found = await Promise.all(
    named
      .filter(([, name]) => running.has(name))
      .map(([id, name]) => limit(async () => [id, await askFor(name)] as const)),
  )
  return new Map(found.flatMap(([id, usage]) => (usage ? [[id, usage] as const] : [])))

  async function askFor(name: string): Promise<Usage | undefined> {
    const [stats, container] = await Promise.all([
      engine.ask<Stats>('GET', `/containers/${name}/stats`, {
        query: { stream: 'false', 'one-shot': 'true' },
        besides: [404, 409],
      }),
      engine.ask<FoundContainer>('GET', `/containers/${name}/json`, { besides: [404] }),
    ])
    const { usage = 0, stats: parts = {} } = stats?.memory_stats ?? {}
    // It ended meanwhile.
    if (!stats || !container || usage === 0) return undefined
    // As the engine's own program counts: what the kernel keeps of files is given back when it is needed.
    const cache = parts['inactive_file'] ?? parts['total_inactive_file'] ?? 0
    const seconds = stats.cpu_stats.cpu_usage.total_usage / 1e9
    return {
      memoryMb: Math.max(0, usage - cache) / 2 ** 20,
      cpuSeconds: new Map([[`${container.Id} ${container.State.StartedAt}`, seconds]]),
    }
  }
}
