import type { ManagerContext } from '../context.js'
import { homeAt } from '../domain/home.js'
import { openRegistry } from '../store/registry.js'
import { createLocks } from '../system/locks.js'

/** All that the engine and made-up operations need of a manager: a whole one takes longer to load and to make. */
export function leastContext(folder: string): ManagerContext {
  const home = homeAt(folder)
  return {
    home,
    clock: () => new Date(),
    registry: openRegistry({ file: home.database }),
    registryCopies: { list: () => [], keep: () => undefined },
    locks: createLocks(home.locks),
  } as Partial<ManagerContext> as ManagerContext
}
