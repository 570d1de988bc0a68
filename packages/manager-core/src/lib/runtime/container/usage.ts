import pLimit from 'p-limit'
import type { Usage } from '../runtime.js'
import type { ContainerEngine } from './engine.js'
import type { FoundContainer } from './look.js'

/** Containers that are asked about at the same time. */
const atATime = 10

interface Stats {
  readonly memory_stats: { readonly usage?: number; readonly stats?: Readonly<Record<string, number>> }
  readonly cpu_stats: { readonly cpu_usage: { readonly total_usage: number } }
}

/** What containers use. @param named ids of instances, each with the name or id of a container that runs */
export async function usageOf(
  engine: ContainerEngine,
  named: readonly (readonly [id: string, container: string])[],
): Promise<ReadonlyMap<string, Usage>> {
  const limit = pLimit(atATime)
  const found = await Promise.all(named.map(([id, name]) => limit(async () => [id, await askFor(name)] as const)))
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
