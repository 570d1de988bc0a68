import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import type { InstanceSpec } from '../runtime/runtime.js'

/** How an instance is run: its command, environment (with secrets) and limits, from its settings and its version's. */
export async function specOf(
  _context: ManagerContext,
  instance: Pick<Instance, 'id' | 'version' | 'port'>,
): Promise<InstanceSpec> {
  throw new Error(`Not there yet: ${instance.id}`)
}
